/**
 * Machines outside the orchestrator: WorkloadGroups that describe them, and the files with which they
 * join the mesh.
 *
 * @module
 */
export { createGroup } from "./create_group.ts";
export { configureMachine } from "./configure.ts";
