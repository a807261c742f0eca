/**
 * TLS contexts of mutual TLS, secrets of certificates, and the filter that verifies tokens.
 *
 * @module
 */
export {
  clientCredentialNames,
  clientSecrets,
  type CredentialNames,
  credentialNames,
  credentialSecret,
} from "./credentials.ts";
export { hasUsableKey } from "./keys.ts";
export { mutualClientTls, type MutualParameters, mutualServerTls } from "./mutual_tls.ts";
export {
  AGENT,
  AGENT_OPTION,
  CERTIFICATE_OPTIONS,
  CLIENT,
  type SecretNames,
  secretNames,
  SHARED,
  workloadSecrets,
} from "./secrets.ts";
export { quicTls, serverTls } from "./server_tls.ts";
export { type Keys, tokenFilter } from "./tokens.ts";
