/**
 * Environment variables of translation, by area: clusters, listeners, routes, scopes, security,
 * telemetry. Each is read into one property of `Features`.
 *
 * @module
 */
export { readFeatures } from "./features.ts";
export { AMBIENT_ENABLE_MULTI_NETWORK } from "./networks.ts";
export {
  PILOT_GATEWAY_API_CONTROLLER_NAME,
  PILOT_GATEWAY_API_DEFAULT_GATEWAYCLASS_NAME,
} from "./gateway_api.ts";
