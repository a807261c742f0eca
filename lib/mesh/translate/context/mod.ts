/**
 * Parts that all tables of translation share: features (settings from environment variables), lookups of
 * services and rules, merged traffic policies, localities, listener and cluster variants,
 * Sidecars.
 *
 * @module
 */
export {
  addressesOf,
  type AddressUse,
  hasOwnListeners,
  listenedAddresses,
  ownedAddresses,
} from "./addresses.ts";
export { type AgentLayersOf, type ClassBinding, isGrpc, type LayersOf } from "./class_binding.ts";
export { type ClientScope, clientScopes } from "./client_scope.ts";
export { type ClusterVariant, clusterVariantOf, clusterVariants } from "./cluster_variant.ts";
export {
  type BaseContext,
  type ClusterSettings,
  type Context,
  knownProtocol,
  type PolicyKeys,
  policyKeys,
  type ReadShared,
  type RequestFilters,
  type SecurityTables,
  type SharedFeatures,
  type SharedSettings,
  type TelemetryKey,
  telemetryKeys,
  type TelemetryTable,
  type TokenFilter,
  tokenPolicies,
  type TunnelFeatures,
} from "./context.ts";
export { destinationResolver } from "./destination.ts";
export { type Family, familyOf, isOfFamily } from "./family.ts";
export { imports, localImports, locatedKey } from "./imports.ts";
export {
  type ExposedPort,
  hasHostsOnDemand,
  type ListenerVariant,
  listenerVariants,
  usesAutoAddresses,
  variantOf,
  wildcard,
  WORKLOAD_OPTION,
} from "./listener_variant.ts";
export {
  automaticLocality,
  clientAt,
  type ContentKey,
  contentKeys,
  followRulesAt,
  localityOf,
  reachOf,
  selectingRules,
  topologyOf,
  visibleEndpoints,
} from "./localities.ts";
export {
  type Client,
  findService,
  findServiceRules,
  followService,
  followServiceRules,
  type MeshContext,
  type ServiceRules,
  silent,
} from "./lookups.ts";
export { meshDuration, ownSettings, routeDefaults, settingsOf } from "./mesh_settings.ts";
export { namedHost } from "./named_services.ts";
export { deriveSharedSettings, ownClusterSettings } from "./shared_settings.ts";
export { detectedTable, egressOf, importedHosts, routeName, sidecarOf } from "./sidecars.ts";
export { mergedPolicy, mergeTrafficPolicy } from "./traffic_policy.ts";
export {
  BEHIND_OPTION,
  behindNodeProxy,
  endsInner,
  LISTENS_OPTION,
  listensForTunnels,
  NOT_SENDING_OPTION,
  sendsAcross,
  sendsTunnels,
} from "./tunnels.ts";
export { transportTo } from "./upstream_transport.ts";
