/**
 * Computing: bringing stale cells up to date, recording of reads and decisions, publications,
 * watches, computing ahead of a publication, and eviction of unused cells.
 *
 * @module
 */
export { evict, idle } from "./evict.ts";
export { declareFeed, settleFeeds } from "./feeds.ts";
export { explain, peekCell } from "./peek.ts";
export { publish } from "./publish.ts";
export { pull } from "./pull.ts";
export { PlainRead } from "./recording.ts";
export { advance, prepare, warm } from "./warm.ts";
export { tapCell } from "./tap.ts";
export { watchCell } from "./watch.ts";
