/**
 * Analysis: finds mistakes that no document shows by itself, such as references to hosts, subsets,
 * ports and Gateways that do not exist. Pure.
 *
 * `CODES` and `ANALYZERS` are the tables of what it finds; `createAnalysis` runs the analyzers over
 * a set of objects and follows its changes.
 *
 * @module
 */
export {
  type Analysis,
  type AnalysisChanges,
  type AnalysisOptions,
  createAnalysis,
} from "./analysis.ts";
export type { Analyzer } from "./analyzer.ts";
export { type Code, type CodeRow, CODES, type Level } from "./codes.ts";
export { analyzeFileSet, type FileSet, type RemoteSet } from "./file_set.ts";
export { foreignCollector, type ForeignFacts } from "./foreign.ts";
export type { KnownWorkload } from "./workload_indexes.ts";
export { type Message, messageJson, messageOfProblem, renderMessage } from "./message.ts";
export { analyzeObjects } from "./object_set.ts";
export { analysisPage } from "./page.ts";
export { ANALYZERS } from "./registry.ts";
export { uncheckedParts } from "./unchecked.ts";
export { workloadsOfClasses } from "./workloads.ts";
export { allObjects } from "./rows.ts";
export { logLine, type PaintLevel } from "./log_lines.ts";
export { sarifLog } from "./sarif.ts";
export {
  annotatedSuppressions,
  isAtLeast,
  parseSuppression,
  selectMessages,
  type Suppression,
} from "./selection.ts";
export { injectionOf, isExempt } from "./documents/injection.ts";
export { type PlainDocument, plainDocument } from "./plain.ts";
export { type PodShape, podShapeOf } from "./document_set.ts";
export { isInjectorConfig } from "./documents/injector_config.ts";
export { networkPluginMessages } from "./network_plugin_messages.ts";
export { INEFFECTIVE_KEYS, type IneffectiveKey } from "./documents/ineffective_keys.ts";
export { ANNOTATIONS, type KnownAnnotation } from "./documents/annotation_table.ts";
export { ABSENT_CODES, type AbsentCode } from "./absent_codes.ts";
export { analyzerList } from "./list.ts";
export { jsonReport, type Report, textReport } from "./report.ts";
