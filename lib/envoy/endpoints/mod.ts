/**
 * Endpoint assignments (`ClusterLoadAssignment`).
 *
 * @module
 */
export { buildAssignment } from "./build.ts";
export { encodeAssignment } from "./encode.ts";
export { localityRule, weighsLocalities } from "./locality.ts";
export { TLS_MODE } from "./metadata.ts";
export { gatewaysTo } from "./networks.ts";
export { planAssignment } from "./plan.ts";
export type { AssignmentInput, LocalityRule, Reach } from "./planned.ts";
export { canonicalOf } from "./workload_label.ts";
