/**
 * Reports about the mesh that are made from its tables on request: conflicts of listeners and ports,
 * providers that objects name in vain, rules for tokens without keys, and objects that an older one
 * shadows.
 *
 * @module
 */
export { inboundConflicts } from "./inbound_conflicts.ts";
export { type ListenerConflict, listenerConflicts } from "./listener_conflicts.ts";
export { type ShadowedObject, shadowedObjects } from "./shadowed_objects.ts";
export { type UnknownKeys, unknownKeys } from "./unknown_keys.ts";
export { unresolvedProviders } from "./unresolved_providers.ts";
