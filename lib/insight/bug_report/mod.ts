/**
 * An archive with the state of a cluster, its daemons and its proxies, without secrets.
 *
 * @module
 */
export { linesWithin } from "./log_range.ts";
export { bugReport } from "./report.ts";
