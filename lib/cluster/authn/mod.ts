/**
 * Authentication of callers of the control plane: client certificates, tokens, and certificates that
 * a trusted gateway forwards. A caller gets one generic sentence; reasons are in the log.
 *
 * @module
 */
export type { Caller, CredentialKind, PodOfCaller } from "./caller.ts";
export { certificateAuthenticator, type CertificateOptions } from "./certificate.ts";
export { AuthnError } from "./error.ts";
export { forwardedAuthenticator } from "./forwarded.ts";
export { type JwtOptions, type JwtRule, jwtVerifier, readJwtRule } from "./jwt.ts";
export { type Authn, type AuthnOptions, createAuthn } from "./policy.ts";
export {
  type AuthorizedProxy,
  type ClaimedProxy,
  type CredentialQuestion,
  type CredentialRight,
  proxyAuthorizer,
  type ProxyPolicy,
} from "./proxy.ts";
export type { Authenticator, AuthnRequest } from "./request.ts";
export {
  tokenAuthenticator,
  type TokenIdentity,
  type TokenVerifier,
  type TokenVerifiers,
} from "./token.ts";
export { type ReviewToken, type TokenReviewOptions, tokenReviewVerifier } from "./token_review.ts";
export {
  audiences,
  CA_TRUSTED_NODE_ACCOUNTS,
  MESH_CREDENTIAL_ACCOUNTS,
  MESH_CREDENTIAL_ANONYMOUS,
  PILOT_ENABLE_XDS_IDENTITY_CHECK,
  XDS_AUTH,
  XDS_AUTH_PLAINTEXT,
} from "./variables.ts";
