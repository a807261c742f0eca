/**
 * Metrics of the running daemon that no pure room can count itself.
 *
 * @module
 */
export { countBatch, countInbound } from "./ingest.ts";
