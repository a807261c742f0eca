/**
 * Authentication: mutual TLS and tokens. Pure functions from plain data to
 * messages.
 *
 * @module
 */
export {
  clientCredentialNames,
  clientSecrets,
  type CredentialNames,
  credentialNames,
  credentialSecret,
  type FindCredential,
} from "./credentials.ts";
export { mutualClientTls, type MutualParameters, mutualServerTls } from "./mutual.ts";
export {
  CERTIFICATE_OPTIONS,
  CLIENT,
  type SecretNames,
  secretNames,
  SHARED,
  workloadSecrets,
} from "./secrets.ts";
export { hasUsableKey } from "./keys.ts";
export { type Keys, tokenFilter, type TokenRule } from "./tokens.ts";
