/**
 * Environment variables of translation, by area: clusters, listeners, routes, scopes, security,
 * telemetry. Each is read into one property of `Features`.
 *
 * @module
 */
export { readFeatures } from "./features.ts";
