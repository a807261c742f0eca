/**
 * Outbound clusters, endpoints and listeners.
 *
 * @module
 */
export { deriveOutboundClusters } from "./clusters.ts";
export { deriveEgressListeners } from "./egress_listeners.ts";
export { deriveAssignments } from "./endpoints.ts";
export {
  deriveLabelledListeners,
  egressCallersKey,
  type LabelledListeners,
} from "./labelled_listeners.ts";
export { deriveOutboundListeners, deriveOverlayListeners, outboundKeys } from "./listeners.ts";
