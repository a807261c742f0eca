/**
 * The status of the objects of the Gateway API: conditions with reasons, counts, addresses. Pure.
 *
 * @module
 */
export { type AttachedCounts, attachedFrom, countAttached, referenceFault } from "./attached.ts";
export { type BackendFacts, backendStatus, meshStatus } from "./backends.ts";
export { type Condition, conditionsAt } from "./condition.ts";
export { MESH_FEATURES, SUPPORTED_FEATURES } from "./features.ts";
export {
  type GatewayClassStatus,
  gatewayClassStatus,
  type GatewayFacts,
  type GatewayStatus,
  gatewayStatus,
  type ListenerSetStatus,
  listenerSetStatus,
  remoteGatewayStatus,
} from "./gateways.ts";
export { type AttachedRoutes, type ListenerName, type ListenerStatus } from "./listeners.ts";
export { VERSION_ANNOTATION, versionCondition, VERSIONED_DEFINITION } from "./versions.ts";
export {
  type PolicyFacts,
  type PolicyStatus,
  policyStatus,
  trafficPolicyStatus,
} from "./policies.ts";
export { type ParentStatus, type RouteFacts, type RouteStatus, routeStatus } from "./routes.ts";
