/**
 * Parameters of TLS that FIPS 140-2 allows. TLS 1.3 is left out, because Envoy cannot be limited to
 * some of its cipher suites.
 *
 * @module
 */
import {
  type TlsParameters,
  TlsParameters_TlsProtocol as Version,
  TlsParametersSchema,
} from "#envoy/extensions/transport_sockets/tls/v3/common_pb.ts";
import { create } from "../../proto/mod.ts";

/** Cipher suites: ECDHE with AES in GCM, by Envoy's names. */
export const FIPS_CIPHERS: readonly string[] = [
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
];

/** Curves of the key exchange. */
export const FIPS_CURVES: readonly string[] = ["P-256"];

/** TLS 1.2 with these suites and curves. */
export function fipsParameters(): TlsParameters {
  return create(TlsParametersSchema, {
    tlsMinimumProtocolVersion: Version.TLSv1_2,
    tlsMaximumProtocolVersion: Version.TLSv1_2,
    cipherSuites: [...FIPS_CIPHERS],
    ecdhCurves: [...FIPS_CURVES],
  });
}
