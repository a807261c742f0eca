/**
 * Indexes over the input tables.
 *
 * @module
 */
export { coveredHosts } from "./hosts_by_pattern.ts";
export { createIndexes, type Indexes } from "./indexes.ts";
export { type MeshInputs } from "./mesh_inputs.ts";
export { policiesOf, selectsWorkloads } from "./policy_indexes.ts";
