/**
 * Debug queries to a daemon, over its HTTP pages or over xDS, from programs that are no proxies.
 *
 * @module
 */
export { askDaemon, debugQuery } from "./ask.ts";
export type { DaemonAnswer, DaemonEndpoint, DaemonQuestion, PageParameters } from "./types.ts";
export { type ClientCertificates, readClientCertificates } from "./certificates.ts";
