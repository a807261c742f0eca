/**
 * Environment variables of the certificate authority.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../kit/env/mod.ts";

const readers = ["pilot-discovery"] as const;

/** False: no certificates are issued. */
export const ENABLE_CA_SERVER: EnvVar<boolean> = declareEnv({
  name: "ENABLE_CA_SERVER",
  type: "bool",
  default: true,
  doc: "Issue certificates to workloads.",
  readers,
});

/** Lifetime of a certificate when the request gives none, ms. */
export const DEFAULT_WORKLOAD_CERT_TTL: EnvVar<number> = declareEnv({
  name: "DEFAULT_WORKLOAD_CERT_TTL",
  type: "duration",
  default: "24h",
  range: { least: 1000 },
  doc: "Lifetime of a workload certificate when the request gives none, or none above zero.",
  readers,
});

/** Longest lifetime, ms. */
export const MAX_WORKLOAD_CERT_TTL: EnvVar<number> = declareEnv({
  name: "MAX_WORKLOAD_CERT_TTL",
  type: "duration",
  default: "2160h",
  range: { least: 1000 },
  doc: "Maximum lifetime of a workload certificate; requests for more are refused.",
  readers,
});

/** Directory of a plugged-in authority. */
export const ROOT_CA_DIR: EnvVar<string> = declareEnv({
  name: "ROOT_CA_DIR",
  type: "string",
  default: "./etc/cacerts",
  doc:
    "Directory with certificate and key of a plugged-in authority: `ca-cert.pem`, `ca-key.pem`, `cert-chain.pem` and `root-cert.pem`, or `tls.crt`, `tls.key` and `ca.crt`. Without these files the authority is self-signed.",
  readers,
});

/** Directory of the self-signed authority. */
export const MESHCA_SELF_SIGNED_DIR: EnvVar<string> = declareEnv({
  name: "MESHCA_SELF_SIGNED_DIR",
  type: "string",
  default: "",
  doc:
    "Directory in which the self-signed root and its key are kept. Empty: in the secret `mesh-ca-secret` of the orchestrator; without an orchestrator in memory, and each start of the daemon makes a new root.",
  readers,
});

/** True: the self-signed root is in the secret of a plugged-in authority. */
export const USE_CACERTS_FOR_SELF_SIGNED_CA: EnvVar<boolean> = declareEnv({
  name: "USE_CACERTS_FOR_SELF_SIGNED_CA",
  type: "bool",
  default: false,
  doc: "Store the self-signed root in the secret `cacerts` instead of `mesh-ca-secret`.",
  readers,
});

/** Lifetime of the self-signed root, ms. */
export const MESHCA_SELF_SIGNED_CA_CERT_TTL: EnvVar<number> = declareEnv({
  name: "MESHCA_SELF_SIGNED_CA_CERT_TTL",
  type: "duration",
  default: "87600h",
  range: { least: 1000 },
  doc: "Lifetime of the self-signed root certificate.",
  readers,
});

/** Size of its key, bits. */
export const MESHCA_SELF_SIGNED_CA_RSA_KEY_SIZE: EnvVar<number> = declareEnv({
  name: "MESHCA_SELF_SIGNED_CA_RSA_KEY_SIZE",
  type: "int",
  default: 2048,
  range: { least: 2048, most: 4096 },
  doc: "Bits of the self-signed root's RSA key.",
  readers,
});

/** Interval of checks, ms; not above zero: none. */
export const MESHCA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL: EnvVar<number> = declareEnv({
  name: "MESHCA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL",
  type: "duration",
  default: "1h",
  doc: "Interval at which the self-signed root's expiry is checked; zero or less: never.",
  readers,
});

/** Part of the root's lifetime before its end in which it is renewed, percent. */
export const MESHCA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE: EnvVar<number> = declareEnv({
  name: "MESHCA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE",
  type: "int",
  default: 20,
  range: { least: 0, most: 100 },
  doc: "Percentage of the self-signed root's lifetime, at its end, in which it is renewed.",
  readers,
});

/** True: the first check comes after a random time. */
export const MESHCA_ENABLE_JITTER_FOR_ROOT_CERT_ROTATOR: EnvVar<boolean> = declareEnv({
  name: "MESHCA_ENABLE_JITTER_FOR_ROOT_CERT_ROTATOR",
  type: "bool",
  default: true,
  doc: "Delay the first check of the self-signed root by a random time below the interval.",
  readers,
});

/** Longest wait for acknowledgements of a new root, ms. */
export const MESHCA_ROOT_CHANGE_TIMEOUT: EnvVar<number> = declareEnv({
  name: "MESHCA_ROOT_CHANGE_TIMEOUT",
  type: "duration",
  default: "24h",
  range: { least: 1000 },
  doc:
    "Time that proxies have to acknowledge a new root; after it, those that did not are named in the log, and the change waits for the operator.",
  readers,
});

/** Certificates a second for one identity. */
export const MESHCA_MAX_REQUESTS_PER_SECOND: EnvVar<number> = declareEnv({
  name: "MESHCA_MAX_REQUESTS_PER_SECOND",
  type: "float",
  default: 20,
  range: { least: 0 },
  doc:
    "Requests for certificates that one identity may send per second, after a burst of 50 times as many; 0: no limit.",
  readers,
});

/** Issuer of the daemon's own certificate. */
export const PILOT_CERT_PROVIDER: EnvVar<string> = declareEnv({
  name: "PILOT_CERT_PROVIDER",
  type: "string",
  default: "meshd",
  doc:
    "Issuer of the daemon's own certificate when no files are given: meshd, its own authority; `orch.io/NAME`, the orchestrator's signer NAME, with `EXTERNAL_CA`. With another value, `--tlsCertFile` and `--tlsKeyFile` are needed.",
  readers,
});

/** Kind of external authority; empty: the daemon signs. */
export const EXTERNAL_CA: EnvVar<string | undefined> = declareEnv({
  name: "EXTERNAL_CA",
  type: "string",
  choices: ["MESHD_RA_ORCH_API"],
  doc:
    "External authority that signs: MESHD_RA_ORCH_API, signers of the orchestrator. Empty: the daemon signs.",
  readers,
});

/** Signer of requests that name none. */
export const ORCH_SIGNER: EnvVar<string | undefined> = declareEnv({
  name: "ORCH_SIGNER",
  type: "string",
  doc: "Full name of the orchestrator's signer for requests that name none, with `EXTERNAL_CA`.",
  readers,
});

/** Domain of the signers that requests may name. */
export const CERT_SIGNER_DOMAIN: EnvVar<string | undefined> = declareEnv({
  name: "CERT_SIGNER_DOMAIN",
  type: "string",
  doc:
    "Domain of the signers that requests for certificates may name (`CertSigner`), with `EXTERNAL_CA`. Empty: requests may name none.",
  readers,
});

/** Time for a signer, ms. */
export const MESHCA_SIGNER_TIMEOUT: EnvVar<number> = declareEnv({
  name: "MESHCA_SIGNER_TIMEOUT",
  type: "duration",
  default: "10s",
  range: { least: 1000 },
  doc: "Time that a signer of the orchestrator has to sign a request, with `EXTERNAL_CA`.",
  readers,
});

/** Further names of the daemon. */
export const MESHD_CUSTOM_HOST: EnvVar<string | undefined> = declareEnv({
  name: "MESHD_CUSTOM_HOST",
  type: "string",
  doc: "Further host names and addresses in the daemon's own certificate, separated by commas.",
  readers,
});
