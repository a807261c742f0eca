/**
 * Clusters (CDS): outbound ones, and those of the workload beside the proxy with the ports they are for.
 *
 * @module
 */
export { type InboundPort, inboundPorts } from "./inbound_ports.ts";
export type { ClusterKey } from "./keys.ts";
export {
  clusterLayers,
  type ClusterLayerTables,
  egressClusters,
  localClusters,
  sidecarClusterLayer,
} from "./layers.ts";
export { type ClassClusters, deriveClassClusters } from "./of_classes.ts";
export { deriveOutboundClusters } from "./outbound.ts";
export { clusterDefaults } from "./defaults.ts";
export { tunnelClusters } from "./tunnels.ts";
export type { ClusterFeatures } from "./features.ts";
