/**
 * TLS and tokens: TLS of gateway servers, mutual TLS between proxies, SDS secrets of certificates
 * and credentials, and the JWT filter of RequestAuthentications with the checks of key sets
 * (JWKS).
 *
 * @module
 */
export {
  clientCredentialNames,
  clientSecrets,
  type CredentialNames,
  credentialNames,
  credentialSecret,
  isReferred,
  pullSecret,
  pullSecretName,
  type ReferredCredential,
  referredName,
  referredSecret,
} from "./credentials.ts";
export { hasUsableKey } from "./keys.ts";
export {
  mutualClientTls,
  type MutualParameters,
  mutualServerTls,
  tunnelClientTls,
  tunnelServerTls,
} from "./mutual_tls.ts";
export {
  AGENT,
  AGENT_OPTION,
  CERTIFICATE_OPTIONS,
  CLIENT,
  EXTERNAL_OPTION,
  type SecretNames,
  secretNames,
  SHARED,
  workloadSecrets,
} from "./secrets.ts";
export { quicTls, type SecretSockets, serverTls } from "./server_tls.ts";
export { type Keys, tokenFilter } from "./tokens.ts";
