/**
 * Filters of AuthorizationPolicies: RBAC rules with principals, permissions and conditions,
 * external authorization (`CUSTOM`, ext_authz), trust domains, and the filters for proxyless gRPC.
 *
 * @module
 */
export { extAuthzConfig } from "./ext_authz.ts";
export {
  type AuthorizationFilters,
  authorizationFilters,
  type AuthorizationInput,
  tunnelFilters,
} from "./filters.ts";
export { grpcAccessFilters } from "./grpc_filters.ts";
export { effectOf, isDryRun, type PolicyObject } from "./rules.ts";
