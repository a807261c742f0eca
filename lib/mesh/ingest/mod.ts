/**
 * The path of configuration from the sources into the input tables: collect, debounce, order, cut
 * into pieces, write, publish. Pure: clock, timers and metrics are passed in.
 *
 * @module
 */
export { type ChangeSet, deletionOf, type ObjectChange, upsertOf } from "./changes.ts";
export { selectorsMatch } from "./selection.ts";
export {
  type Batch,
  createDebouncer,
  type DebounceOptions,
  type Debouncer,
  type DebounceSettings,
  type Trigger,
} from "./debounce.ts";
export {
  createIngest,
  type Ingest,
  type IngestClock,
  type IngestObserver,
  type IngestOptions,
} from "./ingest.ts";
export { publishInPieces, type PublishTarget } from "./publisher.ts";
export type { InboundType } from "./queue.ts";
export type { Intake, ObjectChanges, SettingChanges, SourceState } from "./source.ts";
export { createTableWriter, type TableWriter, type WriterOptions } from "./writer.ts";
