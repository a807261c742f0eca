/**
 * Secrets (SDS): certificates that proxies have in files, and the credentials that configuration
 * names.
 *
 * @module
 */
export { deriveCertificates } from "./certificates.ts";
export { deriveCredentials } from "./credentials.ts";
export {
  gatewayCredentials,
  localCredentials,
  policyAuthorities,
  pullCredentials,
  referredCredentials,
  ruleCredentials,
  secretLayer,
  type SecretLayerTables,
} from "./layers.ts";
