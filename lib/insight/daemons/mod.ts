/**
 * Running daemons: versions, log levels, debug pages, remote clusters, learned scopes, and the wait for an edit.
 *
 * @module
 */
export { adminLog } from "./admin_log.ts";
export { internalDebug } from "./internal_debug.ts";
export { learnedScopes } from "./learned_scopes.ts";
export { remoteClusters } from "./remote_clusters.ts";
export { version } from "./version.ts";
export { wait } from "./wait.ts";
