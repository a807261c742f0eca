/**
 * Endpoint assignments: which endpoints a cluster has, by locality, with weight
 * and health.
 *
 * @module
 */
export { buildAssignment, TLS_MODE } from "./build.ts";
export { encodeAssignment } from "./encode.ts";
export { type AssignmentInput, planAssignment, telemetryLabel } from "./plan.ts";
