/**
 * Filters of AuthorizationPolicies (RBAC and ext_authz).
 *
 * @module
 */
export { extAuthzConfig } from "./ext_authz.ts";
export {
  type AuthorizationFilters,
  authorizationFilters,
  type AuthorizationInput,
} from "./filters.ts";
export { grpcAccessFilters } from "./grpc_filters.ts";
export { effectOf, isDryRun, type PolicyObject } from "./rules.ts";
