/**
 * Parts for tests of their own.
 *
 * @module
 */
export { hostRules } from "./host_rules.ts";
export { podRules } from "./pod_rules.ts";
export { NodeProxies } from "./proxies/proxies.ts";
