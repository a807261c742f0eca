/**
 * Reports about the mesh that are made from its tables on request: conflicts of listeners and ports,
 * and providers that objects name in vain.
 *
 * @module
 */
export { inboundConflicts } from "./inbound_conflicts.ts";
export { type ListenerConflict, listenerConflicts } from "./listener_conflicts.ts";
export { unresolvedProviders } from "./unresolved_providers.ts";
