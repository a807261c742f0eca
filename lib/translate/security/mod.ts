/**
 * Security policies of workloads: access, tokens, mutual TLS, credentials.
 *
 * @module
 */
export { mutualInput, takesMutual } from "./mutual_tls.ts";
export {
  deriveSecurityPolicies,
  mutualServer,
  recordPolicies,
  securityOf,
  trustDomainsOf,
} from "./policies.ts";
