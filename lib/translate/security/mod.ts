/**
 * Security policies of workloads: access, tokens, mutual TLS, credentials.
 *
 * @module
 */
export { type CredentialTables, deriveCredentials } from "./credentials.ts";
export { mutualInput, takesMutual } from "./mutual_tls.ts";
export { deriveGuards, guardOf, mutualServer, tellPolicies, trustDomainsOf } from "./policies.ts";
