/**
 * Inbound clusters and listeners: the ports of the workload beside the proxy, by its services or
 * its Sidecar, and the listeners of redirected traffic.
 *
 * @module
 */
export { deriveClassTables } from "./tables.ts";
