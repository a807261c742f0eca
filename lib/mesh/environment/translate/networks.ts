/**
 * Environment variables of tunnels between networks.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../../kit/env/mod.ts";
import { PILOT_ENABLE_AMBIENT } from "../../sources/mod.ts";
import type { Features } from "../../translate/mod.ts";

const readers = ["pilot-discovery"] as const;

export const AMBIENT_ENABLE_MULTI_NETWORK: EnvVar<boolean> = declareEnv({
  name: "AMBIENT_ENABLE_MULTI_NETWORK",
  type: "bool",
  default: false,
  doc:
    "Reach global services in other networks by tunnels through gateways of the class mesh-east-west.",
  readers,
});

const AMBIENT_ENABLE_MULTI_NETWORK_WAYPOINT = declareEnv({
  name: "AMBIENT_ENABLE_MULTI_NETWORK_WAYPOINT",
  type: "bool",
  default: true,
  doc: "Let waypoints send to other networks where AMBIENT_ENABLE_MULTI_NETWORK is true.",
  readers,
});

const AMBIENT_ENABLE_MULTI_NETWORK_INGRESS = declareEnv({
  name: "AMBIENT_ENABLE_MULTI_NETWORK_INGRESS",
  type: "bool",
  default: false,
  doc: "Let gateways send to other networks by tunnels where AMBIENT_ENABLE_MULTI_NETWORK is true.",
  readers,
});

/** Reads them; throws `MeshError` for a value that cannot be read. */
export function readNetworks(): Pick<Features, "networks"> {
  if (!PILOT_ENABLE_AMBIENT.get() || !AMBIENT_ENABLE_MULTI_NETWORK.get()) return {};
  return {
    networks: {
      waypoints: AMBIENT_ENABLE_MULTI_NETWORK_WAYPOINT.get(),
      gateways: AMBIENT_ENABLE_MULTI_NETWORK_INGRESS.get(),
    },
  };
}
