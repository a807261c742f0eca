/**
 * Questions to a Prometheus, which has the metrics of the proxies.
 *
 * @module
 */
export { type PromQuestion, queryPrometheus, type Series } from "./query.ts";
