/**
 * Running proxies: their configuration, state, log levels and metrics, from admin interfaces, dumps
 * and daemons.
 *
 * @module
 */
export { authzCheck } from "./authz_check.ts";
export { dataproxyStats } from "./dataproxy_stats.ts";
export { admin } from "./dump_source.ts";
export { metrics } from "./metrics.ts";
export { nodeLog, showNode, showNodePart } from "./node_proxy.ts";
export { compareRoots, showAll, showPart } from "./proxy_config.ts";
export { proxyLog } from "./proxy_log.ts";
export { proxyStatus } from "./proxy_status.ts";
