/**
 * Listeners (LDS): outbound ones of namespaces, of Sidecars and of clients with certain source
 * labels, and those of the workload beside the proxy.
 *
 * @module
 */
export { managerDefaults } from "./defaults.ts";
export { deriveEgressListeners } from "./egress.ts";
export {
  clientListeners,
  deriveHiddenListeners,
  egressListenerLayers,
  hiddenListeners,
  listenerLayers,
  type ListenerLayerTables,
  sidecarListenerLayer,
} from "./layers.ts";
export { deriveClassListeners, deriveTunnelListeners } from "./of_classes.ts";
export { deriveOutboundListeners, deriveOverlayListeners } from "./outbound.ts";
export { deriveSourceLabelListeners } from "./source_labels.ts";
export { deriveInnerRoutes, innerRouteLayer } from "./tunnel_routes.ts";
export { originateListeners, tunnelIdleMs } from "./tunnels.ts";
export type { ListenerFeatures } from "./features.ts";
