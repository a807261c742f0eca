/**
 * Security policies of workloads: access policies, token rules, mutual TLS of servers and clients.
 *
 * @module
 */
export { hasMutualProxy, mutualInput, serverIdentities, takesMutual } from "./mutual_tls.ts";
export {
  attachedSecurity,
  deriveSecurityPolicies,
  entranceFilters,
  mutualServer,
  recordPolicies,
  securityOf,
  trustDomainsOf,
  tunnelClient,
  tunnelServer,
} from "./policies.ts";
export { overTlsDefaults } from "./tls_defaults.ts";
export type { SecurityFeatures } from "./features.ts";
