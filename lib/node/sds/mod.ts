/**
 * Certificates of the workload, for its proxy: obtained from the authority or mounted as files,
 * renewed, and served over SDS.
 *
 * @module
 */
export { isServed } from "./external.ts";
export { type MountedOptions, startMountedCertificates } from "./mounted.ts";
export { renewalIn, type RenewalInput, type RenewalWait, untilRenewal } from "./rotation.ts";
export { type SdsOptions, type SdsServer, startSds } from "./server.ts";
export {
  daemonTls,
  fileDebounceMs,
  mountedOptions,
  workloadOptions,
  workloadToken,
} from "./settings.ts";
export { type TokenSource, tokenSource } from "./tokens.ts";
export type { WorkloadCertificate, WorkloadCertificates } from "./workload_certificate.ts";
export {
  type IssuedCertificates,
  startWorkloadCertificates,
  type WorkloadOptions,
} from "./workload.ts";
