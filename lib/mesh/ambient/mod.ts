/**
 * Ambient mode: what node proxies and waypoints are told about workloads, services and policies, as
 * pure functions.
 *
 * @module
 */
export * from "./binding/mod.ts";
export * from "./addresses/mod.ts";
export * from "./policies/mod.ts";
