/**
 * Binding of the objects of the Gateway API to each other: listeners, routes, certificates, backends,
 * policies. Pure; each function asks through lookups for the single objects that it needs.
 *
 * @module
 */
export * from "./objects.ts";
export type * from "./lookups.ts";
export { BACKEND_PORT, backendHost, bindBackend, type BoundBackend } from "./api_backends.ts";
export {
  type AddressContext,
  type AddressLookup,
  bindAddresses,
  type BoundAddresses,
  deployedAccount,
  deployedName,
  type FrontService,
  type GatewayAddress,
  hostsOfGateway,
  isDeployed,
  statedAddresses,
} from "./addresses.ts";
export {
  configMapsOfGateway,
  configMapsOfParameters,
  configMapsOfPolicy,
  type WantedConfigMaps,
} from "./authorities.ts";
export { type Backend, backendsOf, resolveBackend, type ResolvedBackend } from "./backends.ts";
export type { Referrer, RefFault, ResolvedRefs } from "./certificates.ts";
export {
  BUILT_IN_CLASSES,
  type ClassNames,
  type ClassRole,
  EAST_WEST_CLASS,
  EAST_WEST_CONTROLLER,
  GATEWAY_CONTROLLER,
  REMOTE_CONTROLLER,
  roleOfClass,
  roleOfController,
  WAYPOINT_CONTROLLER,
} from "./classes.ts";
export { type Conflict, type ConflictReason, listenerConflicts } from "./conflicts.ts";
export { bindGateway, type BoundGateway, type BoundListenerSet, gatewayOfSet } from "./gateways.ts";
export { type Crossing, isPermitted } from "./grants.ts";
export { commonHostnames } from "./hostnames.ts";
export { hasHostnames, HBONE, isRouteKind, servedKinds, TLS_MODE_OPTION } from "./kinds.ts";
export { type BoundFrontend, type BoundListener, terminatesTls } from "./listeners.ts";
export { allowsNamespace, selects } from "./namespaces.ts";
export {
  bindBackendTls,
  bindBackendTraffic,
  type BoundBackendTls,
  type BoundBackendTraffic,
  type BoundPolicyTarget,
  type BoundValidation,
  type PolicyLookups,
  type PolicyTarget,
  type TargetLookups,
} from "./policies.ts";
export { type Attachment, bindRoute, type BoundParent, type RouteLookups } from "./routes.ts";
export { type ParameterParts, parametersFaultIn, parametersIn } from "./parameter_maps.ts";
export { classParametersFault, parametersFault } from "./parameters.ts";
