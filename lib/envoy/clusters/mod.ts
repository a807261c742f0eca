/**
 * Clusters by kind: outbound, inbound, dynamic, and the built-in ones.
 *
 * Ineffective here: `consecutiveErrors`.
 *
 * @module
 */
export { blackHoleCluster, inboundPassthroughCluster, passthroughCluster } from "./built_in.ts";
export { dynamicPassthroughCluster } from "./dynamic.ts";
export {
  buildInboundCluster,
  type InboundClusterInput,
  type InboundTarget,
  parseDefaultEndpoint,
} from "./inbound.ts";
export { buildOutboundCluster } from "./outbound.ts";
