/**
 * Questions about the mesh that are answered from its tables on request: conflicts, and what
 * objects ask for in vain.
 *
 * @module
 */
export { inboundConflicts } from "./inbound_conflicts.ts";
export { type ListenerConflict, listenerConflicts } from "./listener_conflicts.ts";
export { unmetRequests } from "./unmet.ts";
