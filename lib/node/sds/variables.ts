/**
 * Environment variables of the agent's certificates.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../kit/env/mod.ts";

const readers = ["pilot-agent"] as const;

/** Address of the authority. */
export const CA_ADDR: EnvVar<string | undefined> = declareEnv({
  name: "CA_ADDR",
  type: "string",
  doc: "Address of the certificate authority; by default the discovery address.",
  readers,
});

/** Trust domain of workloads that name none. */
export const DEFAULT_TRUST_DOMAIN = "cluster.local";

/** Trust domain of the workload; empty: {@link DEFAULT_TRUST_DOMAIN}. */
export const TRUST_DOMAIN: EnvVar<string> = declareEnv({
  name: "TRUST_DOMAIN",
  type: "string",
  default: DEFAULT_TRUST_DOMAIN,
  doc:
    "Trust domain of the SPIFFE id in requests for certificates. A signer of the orchestrator signs it; the daemon's own authority uses the one of the mesh.",
  readers,
});

/** Signer of the certificate. */
export const CERT_SIGNER: EnvVar<string | undefined> = declareEnv({
  name: "MESH_META_CERT_SIGNER",
  type: "string",
  doc:
    "Name of the signer of the workload's certificate, in `CERT_SIGNER_DOMAIN` of the daemon; it is also in the metadata of the proxy's node. Empty: the daemon's default.",
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

/** Kind of token. */
export const JWT_POLICY: EnvVar<string> = declareEnv({
  name: "JWT_POLICY",
  type: "string",
  default: "third-party-jwt",
  choices: ["third-party-jwt", "first-party-jwt", "none"],
  doc:
    "Token that the agent presents: `./var/run/secrets/tokens/mesh-token` (third-party-jwt), the account's token of the platform (first-party-jwt), or none.",
  readers,
});

/** Source of the token. */
export const CREDENTIAL_FETCHER_TYPE: EnvVar<string> = declareEnv({
  name: "CREDENTIAL_FETCHER_TYPE",
  type: "string",
  default: "JWT",
  choices: ["JWT", "CloudVmPlatform"],
  doc:
    "Source of the agent's token: the file of `JWT_POLICY` (JWT), or the address `MESH_CREDENTIAL_URL` (CloudVmPlatform).",
  readers,
});

/** Address of the platform's tokens. */
export const MESH_CREDENTIAL_URL: EnvVar<string | undefined> = declareEnv({
  name: "MESH_CREDENTIAL_URL",
  type: "string",
  doc:
    "Address at which a platform of virtual machines gives identity tokens; `audience` is added to its query, and the header `metadata: true` is sent.",
  readers,
});

export const TOKEN_AUDIENCES: EnvVar<string> = declareEnv({
  name: "TOKEN_AUDIENCES",
  type: "string",
  default: "mesh-ca",
  doc:
    "Audiences, separated by commas. An agent requests tokens of the platform for the first one; a daemon takes tokens that have one of them when neither `JWT_RULE` nor `AUDIENCE` names any.",
  readers,
});

/** True: certificates are files. */
export const FILE_MOUNTED_CERTS: EnvVar<boolean> = declareEnv({
  name: "FILE_MOUNTED_CERTS",
  type: "bool",
  default: false,
  doc:
    "Use mounted files instead of an authority: those of `MESH_META_TLS_CLIENT_CERT_CHAIN`, `_KEY` and `_ROOT_CERT`, or `cert-chain.pem`, `key.pem` and `root-cert.pem` in `./etc/certs`.",
  readers,
});

/** Quiet time of files, ms. */
export const FILE_DEBOUNCE_DURATION: EnvVar<number> = declareEnv({
  name: "FILE_DEBOUNCE_DURATION",
  type: "duration",
  default: "100ms",
  range: { least: 0 },
  doc: "Quiet time after a file of a certificate has changed before it is read.",
  readers,
});

/** Folder to write certificates to. */
export const OUTPUT_CERTS: EnvVar<string | undefined> = declareEnv({
  name: "OUTPUT_CERTS",
  type: "string",
  doc:
    "Folder to which each certificate is written: `cert-chain.pem`, `key.pem` and `root-cert.pem`; empty: they are not written.",
  readers,
});

/** Folder of a provisioned certificate. */
export const PROV_CERT: EnvVar<string | undefined> = declareEnv({
  name: "PROV_CERT",
  type: "string",
  doc:
    "Folder of a certificate (`cert-chain.pem`, `key.pem`, `root-cert.pem`) that authenticates requests to the authority, instead of a token. While there is none, or it has expired, a token is used. It may be the folder of `OUTPUT_CERTS`.",
  readers,
});

/** Form of private keys. */
export const PKCS8_KEY: EnvVar<boolean> = declareEnv({
  name: "PKCS8_KEY",
  type: "bool",
  default: false,
  doc: "Write private keys in the form PKCS #8, not PKCS #1 or SEC 1.",
  readers,
});

/** File of the certificate chain. */
export const TLS_CLIENT_CERT_CHAIN: EnvVar<string | undefined> = declareEnv({
  name: "MESH_META_TLS_CLIENT_CERT_CHAIN",
  type: "string",
  doc: "File of the client's certificate chain, in the metadata of the proxy's node.",
  readers,
});

/** File of the private key. */
export const TLS_CLIENT_KEY: EnvVar<string | undefined> = declareEnv({
  name: "MESH_META_TLS_CLIENT_KEY",
  type: "string",
  doc: "File of the client's private key, in the metadata of the proxy's node.",
  readers,
});

/** File of the trusted roots. */
export const TLS_CLIENT_ROOT_CERT: EnvVar<string | undefined> = declareEnv({
  name: "MESH_META_TLS_CLIENT_ROOT_CERT",
  type: "string",
  doc: "File of the client's trusted roots, in the metadata of the proxy's node.",
  readers,
});
