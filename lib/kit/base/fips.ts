/**
 * Parameters of TLS 1.2 that FIPS 140-2 allows, by Envoy's names.
 *
 * @module
 */

/** Cipher suites: ECDHE with AES in GCM. */
export const FIPS_CIPHERS: readonly string[] = [
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
];

/** Curves of the key exchange. */
export const FIPS_CURVES: readonly string[] = ["P-256"];
