/**
 * Endpoint assignments (`ClusterLoadAssignment`).
 *
 * @module
 */
export { buildAssignment, TLS_MODE } from "./build.ts";
export { encodeAssignment } from "./encode.ts";
export { localityRule, weighsLocalities } from "./locality.ts";
export { waysTo } from "./networks.ts";
export { planAssignment } from "./plan.ts";
export type { AssignmentInput, LocalityRule, Reach } from "./planned.ts";
export { canonicalOf } from "./workload_label.ts";
