/**
 * The orchestrator as a source: custom resources, namespaces, and Services with their endpoints.
 *
 * @module
 */
export {
  followIngresses,
  gatewaySelector,
  INGRESS,
  type Ingress,
  INGRESS_CLASS,
  type IngressClass,
  type IngressDocument,
  ingressDocuments,
  type IngressMode,
  type IngressOptions,
  type IngressSettings,
  type IngressSource,
  isOurs,
} from "./ingress/mod.ts";
export { exportType, type SharedService, sharingWarnings } from "./services/sharing.ts";
export { furtherVersions, readItem, resourceTypeOf } from "./objects.ts";
export type { RevisionSelection } from "./revision.ts";
export {
  type FollowedTags,
  followRevisionTags,
  isOfRevision,
  type RevisionTags,
  revisionTags,
} from "./revision_tags.ts";
export {
  type FollowedResource,
  followObjects,
  type OrchestratorObjects,
  type OrchestratorOptions,
} from "./config_objects.ts";
export {
  type ConfigMapSettings,
  type ConfigMapsOptions,
  followConfigMaps,
  type SettingsDocument,
} from "./config_maps.ts";
export {
  type AuthoritiesOptions,
  type AuthoritiesSource,
  followAuthorities,
  type WatchConfigMaps,
} from "./secrets/authorities.ts";
export { followSecrets, type SecretsOptions, type SecretsSource } from "./secrets/secrets.ts";
export {
  CLUSTER_LABEL,
  clusterSecret,
  type ClusterState,
  followClusters,
  LOCAL_CLUSTER_SECRET_WATCHER,
  openCredentials,
  PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS,
  PILOT_REMOTE_CLUSTER_TIMEOUT,
  type RemoteCluster,
  type RemoteClusters,
  type RemoteClustersOptions,
} from "./remote_clusters/mod.ts";
export { podFacts, withAmbient } from "./services/api.ts";
export { nodeFacts } from "./services/locality.ts";
export { podRow } from "./services/pod_row.ts";
export { serviceRow } from "./services/row.ts";
export type { ApiService, ApiSlice } from "./services/api.ts";
