/**
 * Controller of the Gateways of the Gateway API.
 *
 * @module
 */
export { type GatewayControllerInput, runGateways } from "./gateways.ts";
export {
  PILOT_ENABLE_AMBIENT_WAYPOINTS,
  PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER,
  PILOT_ENABLE_GATEWAY_API_GATEWAYCLASS_CONTROLLER,
} from "./variables.ts";
export { DEFAULTS_LABEL } from "./overlays.ts";
