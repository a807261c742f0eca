/**
 * Cipher suites by their names in the registry of IANA.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";

/** Suites that the runtime's TLS has. */
const SUPPORTED: readonly string[] = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
  "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
  "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
  "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
  "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
  "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
];

/** Names that are accepted, and that the runtime's TLS does not have. */
const ABSENT: readonly string[] = [
  "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
  "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
  "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
  "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA",
  "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
  "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
  "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
  "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
  "TLS_ECDHE_RSA_WITH_RC4_128_SHA",
  "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
  "TLS_RSA_WITH_AES_128_CBC_SHA",
  "TLS_RSA_WITH_AES_128_CBC_SHA256",
  "TLS_RSA_WITH_AES_128_GCM_SHA256",
  "TLS_RSA_WITH_AES_256_CBC_SHA",
  "TLS_RSA_WITH_AES_256_GCM_SHA384",
  "TLS_RSA_WITH_RC4_128_SHA",
];

/** Suites that `fips-140-2` allows: AES with GCM. */
export const FIPS_SUITES: ReadonlySet<string> = new Set(
  SUPPORTED.filter((name) => name.includes("_GCM_")),
);

/**
 * The suites that connections may have; `undefined`: all that the runtime has.
 *
 * @param names the operator's list; empty: no restriction
 * @throws MeshError `cipher-suites` for unknown names, and for a list without a suite that there is
 */
export function allowedSuites(names: readonly string[]): ReadonlySet<string> | undefined {
  if (names.length === 0) return undefined;
  const remedy = `Name at least one of ${SUPPORTED.join(", ")}.`;
  const unknown = names.find((name) => !SUPPORTED.includes(name) && !ABSENT.includes(name));
  if (unknown !== undefined) {
    throw new MeshError("cipher-suites", `${JSON.stringify(unknown)} is not a known cipher suite`, {
      remedy,
    });
  }
  const allowed = new Set(names.filter((name) => SUPPORTED.includes(name)));
  if (allowed.size > 0) return allowed;
  throw new MeshError("cipher-suites", "the runtime has none of the cipher suites in the list", {
    remedy,
  });
}
