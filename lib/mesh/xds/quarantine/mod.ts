/**
 * The quarantine: resource versions that proxies rejected (NACK). Storage (`store.ts`, by class in
 * `shelves.ts`, by stream in `held_by_stream.ts`), who contradicts (`opinions.ts`), the search
 * for the rejected resource of a response (`search.ts`, `nack_message.ts`), the last good version
 * that is sent instead (`filter.ts`, `kept_versions.ts`), retries and the pauses between them (`retry.ts`,
 * `retry_timing.ts`).
 *
 * @module
 */
export { shown, withoutQuarantined } from "./filter.ts";
export { withOpinions } from "./opinions.ts";
export { type LaterTimer, type Retries, retries } from "./retry.ts";
export { accepted, isProbing, probes, rejected } from "./search.ts";
export { quarantine } from "./store.ts";
export type { Culprit, Quarantine, Quarantined } from "./types.ts";
