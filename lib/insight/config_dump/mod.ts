/**
 * Summaries of the configuration that an Envoy dumps and of the state of proxies: tables and
 * filtered lists for people and programs. Dumps are untrusted and may be cut off.
 *
 * @module
 */
export { type Dump, mergeDumps, parseDump, parseValue } from "./dump.ts";
export { type Json, type JsonMap } from "./json.ts";
export {
  type CertificateFacts,
  type SecretReading,
  secretsDocument,
  secretsOf,
  secretTable,
} from "./secrets.ts";
export { bootstrapOf, bootstrapText } from "./bootstrap.ts";
export { type ClusterFilter, clustersOf, clusterTable } from "./clusters.ts";
export {
  DAEMON_LEVELS,
  type LevelChange,
  type LevelChanges,
  levelChanges,
  PROXY_LEVELS,
} from "./levels.ts";
export { ecdsOf, ecdsTable } from "./ecds.ts";
export {
  assignmentsOf,
  assignmentTable,
  type EndpointFilter,
  hostsOf,
  hostTable,
} from "./endpoints.ts";
export { type ListenerFilter, listenersOf, listenerTable } from "./listeners.ts";
export { describeDomains, routesOf, routeTable } from "./routes.ts";
export { authzTable } from "./authz.ts";
export { type InboundTls, inboundTls } from "./inbound_tls.ts";
export { compareDumps, type SectionDifference } from "./compare.ts";
export { rootsAnswer, rootsOf } from "./roots.ts";
export { ageText, SYNC_HEAD, syncCells, syncProblems, type SyncRow } from "./proxy_status.ts";
export type { Table } from "./table.ts";
export {
  certificateTable,
  connectionTable,
  inNamespace,
  namesIn,
  type NodeDump,
  parseNodeDump,
  policyTable,
  serviceTable,
  statesOf,
  workloadsOf,
  workloadTable,
} from "./node_proxy.ts";
