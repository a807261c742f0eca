/**
 * The certificate authority: a self-signed or a plugged-in root, workload certificates, and the
 * service that issues them.
 *
 * @module
 */
export { type Acknowledgements, acknowledgements, type KnownProxy } from "./acknowledgements.ts";
export type { Authority, AuthoritySource } from "./authority.ts";
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
  type IssuedOptions,
  type ServerCertificate,
  type ServerCertificateSource,
} from "./server_certificate.ts";
export { certificateService, type CertificateServiceOptions } from "./service.ts";
export { type CaOptions, type CertificateAuthority, startAuthority } from "./start.ts";
export { fileStore, memoryStore, type RootStore } from "./store.ts";
export { type ServerNames, serverNames, type ServerNamesOptions } from "./server_names.ts";
export {
  DEFAULT_WORKLOAD_CERT_TTL,
  ENABLE_CA_SERVER,
  MESHD_CUSTOM_HOST,
  PILOT_CERT_PROVIDER,
} from "./variables.ts";
