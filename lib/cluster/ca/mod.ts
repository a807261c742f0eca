/**
 * The certificate authority: a self-signed or a plugged-in root, workload certificates, signers
 * of the orchestrator, and the service that issues certificates.
 *
 * @module
 */
export { type Acknowledgements, acknowledgements, type KnownProxy } from "./acknowledgements.ts";
export type { Authority, AuthoritySource, RootsSource } from "./authority.ts";
export { createIssuance, type Issuance, type IssuanceOptions } from "./issuance.ts";
export { observeAuthority } from "./metrics.ts";
export { type PluggedOptions, startPlugged } from "./plugged.ts";
export { type RateLimiter, rateLimiter, type RateOptions } from "./rate.ts";
export {
  type RootChange,
  type RootChangeTimes,
  type RootEvent,
  stepRootChange,
  trustedRoots,
} from "./root_change.ts";
export { type SelfSigned, type SelfSignedOptions, startSelfSigned } from "./self_signed.ts";
export {
  type CertificateFiles,
  certificateFromAuthority,
  certificateFromFiles,
  certificateFromSigner,
  type IssuedOptions,
  type ServerCertificate,
  type ServerCertificateSource,
  type SignedCertificateSource,
  type SignedOptions,
} from "./server_certificate.ts";
export { certificateService, type CertificateServiceOptions } from "./service.ts";
export {
  type CaOptions,
  type CertificateAuthority,
  type OwnAuthority,
  PLUGGED_SECRET,
  type RegistrationOptions,
  SELF_SIGNED_SECRET,
  startAuthority,
  startRegistrationAuthority,
} from "./start.ts";
export { checkSigner, createRegistration, type RegistrationIssuance } from "./registration.ts";
export { signerNames, type SignerSettings } from "./registration.ts";
export { type SignerRoots, type SignerRootsOptions, startSignerRoots } from "./signer_roots.ts";
export { createSigners, type SignerRequest, type Signers, type SignersOptions } from "./signers.ts";
export { fileStore, memoryStore, type RootStore } from "./store.ts";
export { type ServerNames, serverNames, type ServerNamesOptions } from "./server_names.ts";
export {
  DEFAULT_WORKLOAD_CERT_TTL,
  ENABLE_CA_SERVER,
  EXTERNAL_CA,
  MESHD_CUSTOM_HOST,
  PILOT_CERT_PROVIDER,
} from "./variables.ts";
