/**
 * Secrets with which the daemons of other clusters reach the API server of this cluster.
 *
 * @module
 */
export { createRemoteSecret, type SourceCluster } from "./create.ts";
