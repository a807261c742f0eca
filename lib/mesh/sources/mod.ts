/**
 * Sources of configuration: files, fetched key sets and trust bundles, registered workloads. They
 * read, watch and report to ingest, and write no table.
 *
 * @module
 */
export type { CredentialFault } from "./credential_parts.ts";
export { allowedRanges, type FetchedKeySets, startKeySets } from "./fetched/key_sets.ts";
export { type FetchedKeys, fetchKeySets, type KeyFetchOptions } from "./fetched/key_sets_once.ts";
export type { FetchFault, WatchNames } from "./fetched/refresh.ts";
export { type ResolvedNetworks, resolveGateways } from "./fetched/gateway_names.ts";
export { resolveTunnelGateways } from "./fetched/tunnel_gateways.ts";
export { type BundleOptions, fetchBundles, type MeshWithBundles } from "./fetched/trust_bundles.ts";
export {
  checkConfigFiles,
  type CheckedFiles,
  type ConfigDirectories,
  type ConfigDirectoriesOptions,
  type CredentialSource,
  type CredentialSourceOptions,
  type FileSource,
  type FileSourceOptions,
  type SourceProblem,
  startConfigDirectories,
  startCredentialSource,
  startFileSource,
  type WatchedFile,
  type WatchedFileOptions,
  watchMeshConfig,
  watchNetworks,
} from "./files/mod.ts";
export { type FieldOfFile, type FieldOptions, fieldPositions } from "./files/mod.ts";
export { type Followed } from "./followed.ts";
export {
  type ControlPlanes,
  type ControlPlanesOptions,
  startControlPlanes,
} from "./control_planes/control_planes.ts";
export {
  type AuthoritiesSource,
  type ClusterState,
  type ConfigMapSettings,
  type ConfigMapsOptions,
  followAuthorities,
  followClusters,
  followConfigMaps,
  type FollowedResource,
  followObjects,
  followSecrets,
  LOCAL_CLUSTER_SECRET_WATCHER,
  type OrchestratorObjects,
  type OrchestratorOptions,
  PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS,
  PILOT_REMOTE_CLUSTER_TIMEOUT,
  type RemoteCluster,
  type RemoteClusters,
  type RemoteClustersOptions,
  type SecretsOptions,
  type SecretsSource,
  type SettingsDocument,
} from "./orchestrator/mod.ts";
export {
  GROUP_ANNOTATION,
  type RegisteredEntry,
  type Registration,
  type RegistrationSourceOptions,
  startRegistration,
  type StreamObserver,
} from "./registration/mod.ts";
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
} from "./orchestrator/mod.ts";
export { CLUSTER_LABEL, clusterSecret, openCredentials } from "./orchestrator/mod.ts";
export {
  exportType,
  furtherVersions,
  readItem,
  resourceTypeOf,
  type RevisionSelection,
  type SharedService,
  sharingWarnings,
} from "./orchestrator/mod.ts";
export {
  type FollowedTags,
  followRevisionTags,
  isOfRevision,
  type RevisionTags,
  revisionTags,
} from "./orchestrator/mod.ts";
export {
  ENABLE_MCS_AUTO_EXPORT,
  MCS_API_GROUP,
  MESH_CREDENTIAL_DIR,
  MESH_WATCH_NAMESPACE,
  ORCH_INGRESS_NS,
  PILOT_ENABLE_ALPHA_GATEWAY_API,
  PILOT_ENABLE_AMBIENT,
  PILOT_ENABLE_GATEWAY_API,
  PILOT_WORKLOAD_ENTRY_GRACE_PERIOD,
  SHARED_MESH_CONFIG,
} from "./variables.ts";
/** Rows of pods and Services, made from objects of the orchestrator. */
export {
  type ApiService,
  type ApiSlice,
  nodeFacts,
  podFacts,
  podRow,
  serviceRow,
  withAmbient,
} from "./orchestrator/mod.ts";
