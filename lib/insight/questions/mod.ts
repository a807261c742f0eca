/**
 * Questions about requests, changes and revisions, put to files, to a live cluster or to a daemon.
 *
 * @module
 */
export { diffDaemon, diffFiles, limitsOf } from "./blast_radius.ts";
export {
  explainProxy,
  explainRequest,
  explainResource,
  questionOf,
  withMeshSource,
} from "./explain.ts";
export { comparedRevisions, latestRevisions, outcomesOfDaemon, outcomesOfLog } from "./history.ts";
export { readNamedMesh } from "./offline_files.ts";
export { testRequests } from "./request_tests.ts";
export { compareServed, servedChanges } from "./served.ts";
