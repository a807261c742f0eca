/**
 * Learned scopes as users see them: what the proxies of each workload class asked for on demand, of
 * one daemon or of all, and Sidecar resources that import the same.
 *
 * @module
 */
export { type AskedName, mergedScopes, type Scope } from "./scope.ts";
export { sidecarOf } from "./sidecar.ts";
