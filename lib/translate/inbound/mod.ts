/**
 * Clusters and listeners of the workload beside a proxy.
 *
 * @module
 */
export { deriveClassTables } from "./tables.ts";
