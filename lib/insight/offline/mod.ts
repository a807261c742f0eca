/**
 * A mesh from files, without daemon: the proxies that its files describe, the way of requests, the
 * objects behind resources, tests of requests, and the blast radius of a change.
 *
 * @module
 */
export { type BlastRadius, blastRadius, type ChangeQuestion } from "./change.ts";
export {
  type ChangedRequest,
  type ComparedRequest,
  compareRequests,
  type RequestChanges,
} from "./blast_radius.ts";
export { MAX_SEEN, readSeenRequests, type SeenRequest } from "./seen_requests.ts";
export { type EditedMesh, meshesOf } from "./sides.ts";
export { blastMarkdown, blastText } from "./blast_report.ts";
export { junitXml, testText } from "./junit.ts";
export { type OfflineInput, OfflineMesh, type OfflineProxy } from "./mesh.ts";
export { provenanceText, proxyProvenance, resourceProvenance } from "./provenance.ts";
export {
  type Expectation,
  judgeRequestTest,
  readRequestTests,
  type RequestTest,
  runRequestTest,
  type TestResult,
} from "./request_tests.ts";
export { type OutcomeChange, outcomeChanges } from "./recording.ts";
export {
  type DifferenceGroup,
  type ServedDifference,
  servedDifferences,
  type ServedProxy,
  type ServedVersions,
} from "./served_difference.ts";
