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

/** True: the class of waypoints exists, and its Gateways are deployed. */
export const PILOT_ENABLE_AMBIENT_WAYPOINTS: EnvVar<boolean> = declareEnv({
  name: "PILOT_ENABLE_AMBIENT_WAYPOINTS",
  type: "bool",
  default: false,
  defaultWhen: { variable: "PILOT_ENABLE_AMBIENT", default: true },
  doc: "Run the controllers that waypoints need.",
  readers,
});
