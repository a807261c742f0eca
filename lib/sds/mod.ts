/**
 * Certificates of the workload, for its proxy: obtained from the authority, renewed, and served over
 * SDS.
 *
 * @module
 */
export { renewalIn, type RenewalInput } from "./rotation.ts";
export { type SdsOptions, type SdsServer, startSds } from "./server.ts";
export { daemonTls, workloadOptions } from "./settings.ts";
export {
  startWorkloadCertificates,
  type WorkloadCertificate,
  type WorkloadCertificates,
  type WorkloadOptions,
} from "./workload.ts";
