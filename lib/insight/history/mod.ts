/**
 * History of publications and earlier resources, recording and replay of the input, and the
 * background audit of stored values.
 *
 * @module
 */
export {
  type Change,
  createHistory,
  type History,
  type HistoryDiff,
  type HistoryLog,
  type HistoryOptions,
  type Revision,
} from "./history.ts";
export {
  type AuditReport,
  type AuditSummary,
  createSelfAudit,
  type SelfAudit,
  type SelfAuditOptions,
} from "./self_audit.ts";
export {
  type LoggedRow,
  type LogHeader,
  type LogLine,
  type RecordedOptions,
  type Recorder,
  startRecording,
} from "./record.ts";
export { type LineFile, openLineFile } from "./record_file.ts";
export { type HistoryStart, type RunningHistory, startHistory } from "./start.ts";
export { replay, type Replayed } from "./replay.ts";
