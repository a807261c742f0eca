/**
 * Mutual TLS as gRPC libraries configure it: certificates come from providers that the bootstrap
 * of the program names, not from secrets that are served.
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
import { create, packAny } from "../../proto/mod.ts";
import { tlsSocket } from "../core/mod.ts";

/** The provider that the agent's bootstrap for gRPC declares, and its two names. */
const PROVIDER = "default";

const CERTIFICATE = "default";

const AUTHORITIES = "ROOTCA";

/** Opens mutual TLS. `identities` are those that the server may have; empty: any that is vouched for. */
export function grpcClientTls(identities: readonly string[]): TransportSocket {
  return tlsSocket(packAny(UpstreamTlsContextSchema, { commonTlsContext: common(identities) }));
}

/** Ends mutual TLS. */
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
