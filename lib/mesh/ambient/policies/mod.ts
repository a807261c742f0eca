/**
 * Policies in the form that node proxies enforce.
 *
 * @module
 */
export {
  isWaypointPolicy,
  type PolicyParts,
  translateAuthorization,
  type TranslatedPolicy,
} from "./authorization.ts";
export { BEYOND_NODE_PROXIES, isEnforcedCondition } from "./match.ts";
export {
  peerPolicyName,
  portPolicy,
  STATIC_STRICT,
  strictPolicy,
  strictPolicyName,
} from "./peer_authentication.ts";
export { allowWaypointName, allowWaypointPolicy } from "./waypoints.ts";
