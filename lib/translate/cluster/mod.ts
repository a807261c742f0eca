/**
 * Clusters: names, which policy they get, and how they are built. Pure functions
 * from plain data to messages.
 *
 * Not acted on here: `consecutiveErrors`.
 *
 * @module
 */
export { UNLIMITED } from "./connection.ts";
export {
  buildInboundCluster,
  type InboundClusterInput,
  type InboundDefaults,
  type InboundTarget,
  parseDefaultEndpoint,
} from "./inbound.ts";
export type {
  ClusterListener,
  MeshClusterDefaults,
  MutualInput,
  OutboundClusterInput,
} from "./input.ts";
export {
  BLACK_HOLE_CLUSTER,
  clusterName,
  type ClusterNameParts,
  type Direction,
  dnsSrvClusterName,
  DYNAMIC_PASSTHROUGH_CLUSTER,
  INBOUND_PASSTHROUGH_CLUSTER,
  inboundClusterName,
  parseClusterName,
  PASSTHROUGH_CLUSTER,
} from "./name.ts";
export { applyConsistentHash } from "./load_balancer.ts";
export { dynamicPassthroughCluster } from "./dynamic.ts";
export { buildOutboundCluster } from "./outbound.ts";
export { applyOutlierDetection } from "./outlier.ts";
export { localityRule } from "./locality.ts";
export { mergeTrafficPolicy, notingListener, type PolicyListener } from "./policy.ts";
export { applySettings } from "./settings.ts";
export { blackHoleCluster, inboundPassthroughCluster, passthroughCluster } from "./special.ts";
