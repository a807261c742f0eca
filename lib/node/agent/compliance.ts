/**
 * The bootstrap under `COMPLIANCE_POLICY`: TLS to collectors.
 *
 * @module
 */
import { FIPS_CIPHERS, FIPS_CURVES } from "../../kit/base/mod.ts";
import type { JsonValue } from "../../kit/proto/mod.ts";

const FIPS_PARAMETERS = {
  tls_minimum_protocol_version: "TLSv1_2",
  tls_maximum_protocol_version: "TLSv1_2",
  cipher_suites: [...FIPS_CIPHERS],
  ecdh_curves: [...FIPS_CURVES],
};

/** The same bootstrap with each TLS context limited to what FIPS 140-2 allows. */
export function limitTls<T extends JsonValue>(bootstrap: T): T {
  return JSON.parse(
    JSON.stringify(bootstrap),
    (key, value) =>
      key === "common_tls_context" ? { ...value, tls_params: FIPS_PARAMETERS } : value,
  );
}
