/**
 * Clusters and listeners of the workload beside a proxy.
 *
 * @module
 */
export { type ClassTables, deriveClassTables, secretsKey } from "./tables.ts";
