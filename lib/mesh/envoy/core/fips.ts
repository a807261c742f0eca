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
import { FIPS_CIPHERS, FIPS_CURVES } from "../../../kit/base/mod.ts";
import { create } from "../../../kit/proto/mod.ts";

/** TLS 1.2 with these suites and curves. */
export function fipsParameters(): TlsParameters {
  return create(TlsParametersSchema, {
    tlsMinimumProtocolVersion: Version.TLSv1_2,
    tlsMaximumProtocolVersion: Version.TLSv1_2,
    cipherSuites: [...FIPS_CIPHERS],
    ecdhCurves: [...FIPS_CURVES],
  });
}
