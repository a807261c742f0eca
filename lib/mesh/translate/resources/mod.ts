/**
 * Encoded resources, tables of them in layers, and named collections.
 *
 * @module
 */
export { bindToLayers } from "./binding.ts";
export { collection, type ImportNote, importNoteOf } from "./collections.ts";
export { type AnyResourceTable, anyTable, derivedLayer } from "./derived_layers.ts";
export { type AtLocality, type HostPort, hostPorts, localHostKeys } from "./keys.ts";
export {
  type ByLocality,
  type ClusterTable,
  type EndpointTable,
  type Layered,
  type ListenerTable,
  overlayOf,
  type ResourcesOf,
  type ResourceTable,
  resourceTable,
  type RouteTable,
  type SecretTable,
  type VirtualHostTable,
} from "./layered.ts";
export {
  differences,
  encodeInParts,
  encodeResource,
  resourceOf,
  sameResources,
  tombstone,
} from "./resource.ts";
export { sortedKeys } from "./sorting.ts";
export { AGENT_TYPE_URLS, TYPE_URLS } from "../../model/mod.ts";
