/**
 * The daemons that a command names, by address or as pods of a cluster, and debug queries to them,
 * over HTTP and over xDS, from programs that are no proxies.
 *
 * @module
 */
export { askDaemon } from "./ask.ts";
export { proxyNames } from "./candidates.ts";
export { ask, askJson, type Daemon, type Daemons, namesDaemon, openDaemons } from "./connect.ts";
export { daemonPods, MONITORING_PORT } from "./daemons.ts";
export { connectedProxies } from "./connected_proxies.ts";
export { type DebugPages, type ReadPage, withDebugPages } from "./debug_pages.ts";
export { type AnswerOfAll, type AnswerOfOne, askedOfAll } from "./replicas.ts";
export { fromEach } from "./each_daemon.ts";
export type { PageParameters } from "./types.ts";
