/**
 * Authorisation: AuthorizationPolicies as filters. Pure functions from plain data
 * to messages.
 *
 * @module
 */
export {
  type AuthorizationFilters,
  authorizationFilters,
  type AuthorizationInput,
} from "./filters.ts";
export { libraryFilters } from "./libraries.ts";
export { askingOf, type FindService } from "./ext_authz.ts";
export { effectOf, isDryRun, type PolicyObject } from "./rules.ts";
export { PAYLOAD, TOKEN_FILTER } from "./tokens.ts";
