/**
 * Endpoint assignments: which endpoints a cluster has, by locality, with weight
 * and health.
 *
 * @module
 */
export { buildAssignment, TLS_MODE } from "./build.ts";
export { encodeAssignment } from "./encode.ts";
export { type LocalityRule, weighsLocalities } from "./locality.ts";
export { type Reach, waysTo } from "./networks.ts";
export {
  type AssignmentInput,
  type Canonical,
  canonicalOf,
  planAssignment,
  telemetryLabel,
} from "./plan.ts";
