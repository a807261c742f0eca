/**
 * Outbound clusters, endpoints and listeners.
 *
 * @module
 */
export { deriveOutboundClusters } from "./clusters.ts";
export { deriveEgress } from "./egress.ts";
export { deriveEgressListeners } from "./egress_listeners.ts";
export { deriveEndpoints } from "./endpoints.ts";
export { deriveOutboundListeners, deriveOverlayListeners } from "./listeners.ts";
export { deriveSourceLabelListeners } from "./source_label_listeners.ts";
