/**
 * Reports about the mesh, made from its tables on request: conflicts of listeners and inbound
 * ports, missing extension providers, JWT rules without keys, and objects that an older one
 * shadows.
 *
 * @module
 */
export { inboundConflicts } from "./inbound_conflicts.ts";
export { type ListenerConflict, listenerConflicts } from "./listener_conflicts.ts";
export { type ShadowedObject, shadowedObjects } from "./shadowed_objects.ts";
export { type UnknownKeys, unknownKeys } from "./unknown_keys.ts";
export { unresolvedProviders } from "./unresolved_providers.ts";
