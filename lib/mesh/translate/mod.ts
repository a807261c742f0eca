/**
 * Translates the mesh to resources for each proxy class: encoded, named, versioned by content, in
 * layers that classes share. No clock, no network, no files.
 *
 * Folders, each of which imports only those before it: resources, context; security, telemetry,
 * destinations, egress; endpoints, clusters, routes, listeners, secrets; gateways, grpc, agents, ambient;
 * patches, provenance, objects, proxies, diagnostics. `translation.ts` composes them.
 *
 * @module
 */
export { proxySettings } from "./agents/mod.ts";
export { mergeTrafficPolicy } from "./context/mod.ts";
export type { Features } from "./features.ts";
export {
  inboundConflicts,
  type ListenerConflict,
  listenerConflicts,
  shadowedObjects,
  unknownKeys,
  unresolvedProviders,
} from "./diagnostics/mod.ts";
export { hasMutualProxy } from "./security/mod.ts";
export { asksOnDemand, wholeNode, type WorkloadClass, workloadClasses } from "./proxies/mod.ts";
export { retention } from "./retention.ts";
export type { PatchFault } from "./patches/mod.ts";
export {
  type CulpritObject,
  culpritsIn,
  type FieldGroup,
  type ObjectRef,
  type Provenance,
  provenanceOf,
  suspectsOf,
} from "./provenance/mod.ts";
export {
  createPipeline,
  createTranslation,
  type Pipeline,
  type PipelineOptions,
  type Translation,
  type TranslationOptions,
} from "./translation.ts";
