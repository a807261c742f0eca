/**
 * Indexes over the input tables: ServiceEntries by host, VirtualServices by host and gateway,
 * DestinationRules by host, Sidecars by namespace, workloads by label.
 *
 * @module
 */
export { coveredHosts } from "./hosts_by_pattern.ts";
export { createIndexes, type Indexes } from "./indexes.ts";
export { type MeshInputs } from "./mesh_inputs.ts";
export { policiesOf, selectsWorkloads } from "./policy_indexes.ts";
