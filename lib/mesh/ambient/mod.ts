/**
 * Ambient mode: workloads, services and policies for node proxies and waypoints, as
 * pure functions.
 *
 * @module
 */
export * from "./binding/mod.ts";
export * from "./addresses/mod.ts";
export * from "./policies/mod.ts";
export * from "./status.ts";
