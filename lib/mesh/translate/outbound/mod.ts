/**
 * Outbound clusters, endpoints and listeners: for namespaces, for egress listeners of Sidecars,
 * and for clients with certain source labels.
 *
 * @module
 */
export { deriveOutboundClusters } from "./clusters.ts";
export { deriveEgress } from "./egress.ts";
export { deriveEgressListeners } from "./egress_listeners.ts";
export { deriveEndpoints } from "./endpoints.ts";
export { deriveOutboundListeners, deriveOverlayListeners } from "./listeners.ts";
export { deriveSourceLabelListeners } from "./source_label_listeners.ts";
