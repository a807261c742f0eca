/**
 * The quarantine: resource versions that proxies rejected (NACK). Storage (`store.ts`, by class in
 * `shelves.ts`, by stream in `held_by_stream.ts`), the last good version that is sent instead
 * (`kept_versions.ts`), the names in the message of a rejection (`nack_message.ts`), the time until a
 * retry (`retry_timing.ts`). What a stream does about it is in `../stream`.
 *
 * @module
 */
export { clientName } from "./client_name.ts";
export { named } from "./nack_message.ts";
export { PAUSE_MS } from "./retry_timing.ts";
export { quarantine } from "./store.ts";
export type {
  Culprit,
  Entry,
  Quarantine,
  Quarantined,
  QuarantineFilter,
  Rejected,
} from "./types.ts";
