/**
 * Other clusters as sources: secrets with their credentials, connections, rows.
 *
 * @module
 */
export { followClusters, type RemoteClusters, type RemoteClustersOptions } from "./clusters.ts";
export type { ClusterState, RemoteCluster } from "./state.ts";
export {
  LOCAL_CLUSTER_SECRET_WATCHER,
  PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS,
  PILOT_REMOTE_CLUSTER_TIMEOUT,
} from "./variables.ts";
export { CLUSTER_LABEL, clusterSecret, openCredentials } from "./secret.ts";
