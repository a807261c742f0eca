/**
 * Metrics, log lines and warnings about the mesh as a whole, analysis in the background, and the
 * HTTP routes `/metrics`, `/ready` and `/version`.
 *
 * @module
 */
export { countBatch, countInbound, countPublication, observeSources } from "./ingest.ts";
export { logChanges } from "./changes.ts";
export { observeEngine, observeUnused } from "./engine.ts";
export { type MeshMetricsInputs, observeMesh } from "./mesh.ts";
export {
  type Difference,
  type DifferenceInputs,
  observeDifference,
  oldestDifference,
  type SourceFault,
} from "./difference.ts";
export { observeConflicts } from "./conflicts.ts";
export { observePatches } from "./patches.ts";
export { type ProxyWarning, type RunningProxyWarnings, startProxyWarnings } from "./proxies.ts";
export {
  createProxyStates,
  exitMessage,
  type PastExit,
  type ProxyStates,
  type ReportedState,
  stateWithoutReport,
} from "./proxy_states.ts";
export { createReadiness, type Readiness, type ReadyReason, readyRoute } from "./readiness.ts";
export { countUnselectedPods } from "./unselected_pods.ts";
export { monitoringRoutes } from "./routes.ts";
export { meshWarnings } from "./warnings.ts";
export { createTrafficReader, type Traffic, type TrafficEdge } from "./traffic.ts";
export { type AnalysisTiming, type RunningAnalysis, startAnalysis } from "./analysis.ts";
