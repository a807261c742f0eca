/**
 * Environment variables of the controller of Gateways.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../../kit/env/mod.ts";

const readers = ["pilot-discovery"] as const;

/** True: Gateways get a Deployment, a Service and what belongs to them. */
export const PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER: EnvVar<boolean> = declareEnv({
  name: "PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER",
  type: "bool",
  default: true,
  doc: "Create the Deployment, Service and ServiceAccount of each Gateway of the Gateway API.",
  readers,
});

/** True: the GatewayClasses of the mesh are created. */
export const PILOT_ENABLE_GATEWAY_API_GATEWAYCLASS_CONTROLLER: EnvVar<boolean> = declareEnv({
  name: "PILOT_ENABLE_GATEWAY_API_GATEWAYCLASS_CONTROLLER",
  type: "bool",
  default: true,
  doc: "Create the GatewayClasses of the mesh that are missing.",
  readers,
});

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
