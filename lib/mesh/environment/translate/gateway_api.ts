/**
 * Environment variables of the Gateway API.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../../kit/env/mod.ts";
import type { Features } from "../../translate/mod.ts";
import { PILOT_ENABLE_ALPHA_GATEWAY_API, PILOT_ENABLE_GATEWAY_API } from "../../sources/mod.ts";

const readers = ["pilot-discovery"] as const;

/** Name of the GatewayClass whose Gateways are deployed. */
export const PILOT_GATEWAY_API_DEFAULT_GATEWAYCLASS_NAME: EnvVar<string> = declareEnv({
  name: "PILOT_GATEWAY_API_DEFAULT_GATEWAYCLASS_NAME",
  type: "string",
  default: "mesh",
  doc: "Name of the default GatewayClass.",
  readers,
});

/** Controller that the GatewayClasses of the mesh name. */
export const PILOT_GATEWAY_API_CONTROLLER_NAME: EnvVar<string> = declareEnv({
  name: "PILOT_GATEWAY_API_CONTROLLER_NAME",
  type: "string",
  default: "mesh.io/gateway-controller",
  doc:
    "Controller name of the mesh's GatewayClasses; Gateways of other controllers are left alone.",
  readers,
});

/** True: Gateways with the label of a network are gateways of that network. */
const PILOT_MULTI_NETWORK_DISCOVER_GATEWAY_API = declareEnv({
  name: "PILOT_MULTI_NETWORK_DISCOVER_GATEWAY_API",
  type: "bool",
  default: true,
  doc: "Use Gateway API objects with the network label as gateways of networks.",
  readers,
});

/** Reads the settings of the Gateway API; throws `MeshError` for a value that cannot be read. */
export function readGatewayApi(): Pick<
  Features,
  "gatewayApi" | "experimentalGatewayApi" | "gatewayClasses" | "discoverNetworkGateways"
> {
  return {
    gatewayApi: PILOT_ENABLE_GATEWAY_API.get(),
    experimentalGatewayApi: PILOT_ENABLE_ALPHA_GATEWAY_API.get(),
    discoverNetworkGateways: PILOT_MULTI_NETWORK_DISCOVER_GATEWAY_API.get(),
    gatewayClasses: {
      controller: PILOT_GATEWAY_API_CONTROLLER_NAME.get(),
      defaultClass: PILOT_GATEWAY_API_DEFAULT_GATEWAYCLASS_NAME.get(),
    },
  };
}
