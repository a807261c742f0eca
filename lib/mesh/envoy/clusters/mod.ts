/**
 * Clusters (CDS) by kind: outbound, inbound, dynamic (resolved for each request), and the built-in
 * ones (passthrough, black hole). Options of a cluster are in `lib/mesh/envoy/cluster_options`.
 * Ineffective here: `consecutiveErrors`.
 *
 * @module
 */
export { blackHoleCluster, inboundPassthroughCluster, passthroughCluster } from "./built_in.ts";
export { datagramCluster, type DatagramEndpoint } from "./datagrams.ts";
export { dynamicPassthroughCluster } from "./dynamic.ts";
export {
  buildInboundCluster,
  type InboundClusterInput,
  type InboundTarget,
  parseDefaultEndpoint,
} from "./inbound.ts";
export { buildOutboundCluster } from "./outbound.ts";
export {
  acrossOriginateClusters,
  connectOriginateCluster,
  ENCAP,
  encapCluster,
  innerTunnelsCluster,
  mainInternalCluster,
  type OriginateInput,
} from "./tunnels.ts";
