/**
 * Clusters and listeners of the local workload.
 *
 * @module
 */
export { deriveClassTables } from "./tables.ts";
