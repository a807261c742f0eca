/**
 * Environment variables of the agent's certificates.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../env/mod.ts";

const readers = ["pilot-agent"] as const;

/** Address of the authority. */
export const CA_ADDR: EnvVar<string | undefined> = declareEnv({
  name: "CA_ADDR",
  type: "string",
  doc: "Address of the certificate authority; by default the discovery address.",
  readers,
});

/** Root of the authority's server. */
export const CA_ROOT_CA: EnvVar<string | undefined> = declareEnv({
  name: "CA_ROOT_CA",
  type: "string",
  doc:
    "File of the root certificates that verify the connection to the authority; by default those of the connection to the daemon.",
  readers,
});

/** Root of the daemon's server. */
export const XDS_ROOT_CA: EnvVar<string | undefined> = declareEnv({
  name: "XDS_ROOT_CA",
  type: "string",
  doc:
    "File of the root certificates that verify the connection to the daemon; by default `./var/run/secrets/mesh/root-cert.pem`.",
  readers,
});

/** Name of the daemon. */
export const MESHD_SAN: EnvVar<string | undefined> = declareEnv({
  name: "MESHD_SAN",
  type: "string",
  doc: "Name that the daemon's certificate must have; by default the host of the address.",
  readers,
});

/** Curve of ECDSA keys. */
export const ECC_CURVE: EnvVar<string> = declareEnv({
  name: "ECC_CURVE",
  type: "string",
  default: "P256",
  choices: ["P256", "P384"],
  doc: "Curve of keys of the algorithm ECDSA.",
  readers,
});

/** Kind of keys. */
export const ECC_SIGNATURE_ALGORITHM: EnvVar<string | undefined> = declareEnv({
  name: "ECC_SIGNATURE_ALGORITHM",
  type: "string",
  choices: ["ECDSA"],
  doc: "Algorithm of keys of elliptic curves; RSA keys when it is not set.",
  readers,
});

/** Size of RSA keys, bits. */
export const WORKLOAD_RSA_KEY_SIZE: EnvVar<number> = declareEnv({
  name: "WORKLOAD_RSA_KEY_SIZE",
  type: "int",
  default: 2048,
  range: { least: 2048, most: 4096 },
  doc: "Bits of the workload's RSA key.",
  readers,
});

/** Lifetime that is asked for, ms. */
export const SECRET_TTL: EnvVar<number> = declareEnv({
  name: "SECRET_TTL",
  type: "duration",
  default: "24h",
  range: { least: 1000 },
  doc: "Requested lifetime of a certificate.",
  readers,
});

/** Part of the lifetime that remains at renewal. */
export const SECRET_GRACE_PERIOD_RATIO: EnvVar<number> = declareEnv({
  name: "SECRET_GRACE_PERIOD_RATIO",
  type: "float",
  default: 0.5,
  range: { least: 0, most: 1 },
  doc: "Part of a certificate's lifetime that remains when it is renewed.",
  readers,
});

/** Variation of that part. */
export const SECRET_GRACE_PERIOD_RATIO_JITTER: EnvVar<number> = declareEnv({
  name: "SECRET_GRACE_PERIOD_RATIO_JITTER",
  type: "float",
  default: 0.01,
  range: { least: 0, most: 1 },
  doc: "Random variation of that part.",
  readers,
});
