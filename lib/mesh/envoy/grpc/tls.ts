/**
 * Mutual TLS for gRPC libraries. Certificates come from providers that the program's bootstrap
 * names, not from SDS.
 *
 * @module
 */
import type { TransportSocket } from "#envoy/config/core/v3/base_pb.ts";
import { CertificateValidationContextSchema } from "#envoy/extensions/transport_sockets/tls/v3/common_pb.ts";
import {
  type CommonTlsContext,
  CommonTlsContext_CombinedCertificateValidationContextSchema as CombinedSchema,
  CommonTlsContextSchema,
  DownstreamTlsContextSchema,
  UpstreamTlsContextSchema,
} from "#envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { StringMatcherSchema } from "#envoy/type/matcher/v3/string_pb.ts";
import { create, packAny } from "../../../kit/proto/mod.ts";
import { tlsSocket } from "../core/mod.ts";

/**
 * The certificate provider in the agent's bootstrap for gRPC, and the names of its two
 * certificates.
 */
const PROVIDER = "default";

const CERTIFICATE = "default";

const AUTHORITIES = "ROOTCA";

/**
 * Originates mutual TLS. `identities`: accepted identities of the server; empty: every identity
 * that the authorities signed.
 */
export function grpcClientTls(identities: readonly string[]): TransportSocket {
  return tlsSocket(packAny(UpstreamTlsContextSchema, { commonTlsContext: common(identities) }));
}

/** Terminates mutual TLS. */
export function grpcServerTls(): TransportSocket {
  return tlsSocket(packAny(DownstreamTlsContextSchema, {
    requireClientCertificate: true,
    commonTlsContext: common([]),
  }));
}

function common(identities: readonly string[]): CommonTlsContext {
  return create(CommonTlsContextSchema, {
    tlsCertificateProviderInstance: { instanceName: PROVIDER, certificateName: CERTIFICATE },
    tlsCertificateCertificateProviderInstance: {
      instanceName: PROVIDER,
      certificateName: CERTIFICATE,
    },
    validationContextType: {
      case: "combinedValidationContext",
      value: create(CombinedSchema, {
        defaultValidationContext: create(CertificateValidationContextSchema, {
          matchSubjectAltNames: identities.map((exact) =>
            create(StringMatcherSchema, { matchPattern: { case: "exact", value: exact } })
          ),
          caCertificateProviderInstance: {
            instanceName: PROVIDER,
            certificateName: AUTHORITIES,
          },
        }),
        validationContextCertificateProviderInstance: {
          instanceName: PROVIDER,
          certificateName: AUTHORITIES,
        },
      }),
    },
  });
}
