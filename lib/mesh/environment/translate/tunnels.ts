/**
 * Environment variables of tunnels (HBONE).
 *
 * @module
 */
import { declareEnv } from "../../../kit/env/mod.ts";
import type { Features } from "../../translate/mod.ts";
import { PILOT_ENABLE_AMBIENT } from "../../sources/mod.ts";

const readers = ["pilot-discovery"] as const;

/** The default of a variable while ambient mode is enabled. */
const inAmbient = <const D extends boolean>(preset: D) =>
  ({ variable: "PILOT_ENABLE_AMBIENT", default: preset }) as const;

const PILOT_ENABLE_SENDING_HBONE = declareEnv({
  name: "PILOT_ENABLE_SENDING_HBONE",
  type: "bool",
  default: false,
  defaultWhen: inAmbient(true),
  doc: "Let proxies send through HTTP tunnels to peers that accept them.",
  readers,
});

const PILOT_ENABLE_SIDECAR_LISTENING_HBONE = declareEnv({
  name: "PILOT_ENABLE_SIDECAR_LISTENING_HBONE",
  type: "bool",
  default: false,
  defaultWhen: inAmbient(true),
  doc: "Let sidecars accept HTTP tunnels where they are configured to.",
  readers,
});

const PILOT_PREFER_SENDING_HBONE = declareEnv({
  name: "PILOT_PREFER_SENDING_HBONE",
  type: "bool",
  default: false,
  defaultWhen: inAmbient(false),
  doc: "Prefer HTTP tunnels where other ways are possible.",
  readers,
});

const ENABLE_INGRESS_WAYPOINT_ROUTING = declareEnv({
  name: "ENABLE_INGRESS_WAYPOINT_ROUTING",
  type: "bool",
  default: false,
  defaultWhen: inAmbient(true),
  doc:
    "Route gateways through the waypoints of services with the label mesh.io/ingress-use-waypoint.",
  readers,
});

/** Reads them; throws `MeshError` for a value that cannot be read. */
export function readTunnels(): Pick<Features, "tunnels" | "ingressWaypoints"> {
  const sending = PILOT_ENABLE_SENDING_HBONE.get();
  const listening = PILOT_ENABLE_SIDECAR_LISTENING_HBONE.get();
  const preferring = PILOT_PREFER_SENDING_HBONE.get();
  const some = sending || listening || PILOT_ENABLE_AMBIENT.get();
  const ingressWaypoints = ENABLE_INGRESS_WAYPOINT_ROUTING.get();
  return some ? { tunnels: { sending, listening, preferring }, ingressWaypoints } : {};
}
