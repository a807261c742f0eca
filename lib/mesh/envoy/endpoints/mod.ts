/**
 * Endpoint assignments (EDS, `ClusterLoadAssignment`): which endpoints, their health and weights,
 * locality weights and failover, other networks, and the encoder of their bytes.
 *
 * @module
 */
export { buildAssignment } from "./build.ts";
export { encodeAssignment } from "./encode.ts";
export { localityRule, weighsLocalities } from "./locality.ts";
export { TLS_MODE } from "./metadata.ts";
export { gatewaysTo } from "./networks.ts";
export { planAssignment } from "./plan.ts";
export type { AcrossNetworks, AssignmentInput, LocalityRule, Reach, TunnelTo } from "./planned.ts";
export { canonicalOf } from "./workload_label.ts";
