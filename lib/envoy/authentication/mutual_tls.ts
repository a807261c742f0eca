/**
 * Mutual TLS between proxies of the mesh. Certificates go by the names of
 * secrets, so that the configuration of every workload says the same.
 *
 * @module
 */
import type { TransportSocket } from "#envoy/config/core/v3/base_pb.ts";
import {
  CertificateValidationContextSchema,
  type SubjectAltNameMatcher,
  SubjectAltNameMatcher_SanType as SanType,
  SubjectAltNameMatcherSchema,
  type TlsParameters,
  TlsParameters_TlsProtocol as Version,
  TlsParametersSchema,
} from "#envoy/extensions/transport_sockets/tls/v3/common_pb.ts";
import {
  CommonTlsContext_CombinedCertificateValidationContextSchema as CombinedSchema,
  CommonTlsContextSchema,
  DownstreamTlsContextSchema,
  UpstreamTlsContextSchema,
} from "#envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { type StringMatcher, StringMatcherSchema } from "#envoy/type/matcher/v3/string_pb.ts";
import { create, type MessageInitShape, packAny } from "../../proto/mod.ts";
import { MESH_ALPN, secretConfig, tlsSocket } from "../core/mod.ts";
import type { SecretNames } from "./secrets.ts";

/** What a server offers inside mutual TLS, to clients that do not come from the mesh's proxies. */
const SERVER_ALPN = ["h2", "http/1.1"];

/** Identities of every workload of some trust domains. */
function ofDomains(trustDomains: readonly string[]): SubjectAltNameMatcher[] {
  return trustDomains.filter((domain) => domain !== "").map((domain) =>
    uri({ case: "prefix", value: `spiffe://${domain}/` })
  );
}

function uri(matchPattern: StringMatcher["matchPattern"]): SubjectAltNameMatcher {
  return create(SubjectAltNameMatcherSchema, {
    sanType: SanType.URI,
    matcher: create(StringMatcherSchema, { matchPattern }),
  });
}

/** What the mesh says of mutual TLS between its proxies. */
export interface MutualParameters {
  /** TLS 1.2 is refused. */
  readonly onlyNewest?: boolean;
  /** Curves for key exchange, in order; empty: Envoy's. */
  readonly curves?: readonly string[];
  /** Suites of TLS 1.2, in order; empty: Envoy's. */
  readonly suites?: readonly string[];
}

/** Clients of Envoy stop at TLS 1.2 unless they are told, so that 1.3 is said as the newest, too, where it must be. */
function parametersOf({ onlyNewest, curves = [], suites = [] }: MutualParameters): TlsParameters {
  return create(TlsParametersSchema, {
    tlsMinimumProtocolVersion: onlyNewest ? Version.TLSv1_3 : Version.TLSv1_2,
    tlsMaximumProtocolVersion: onlyNewest ? Version.TLSv1_3 : Version.TLS_AUTO,
    ecdhCurves: [...curves],
    cipherSuites: [...suites],
  });
}

function contextOf(
  names: SecretNames,
  peers: SubjectAltNameMatcher[],
  alpnProtocols: readonly string[],
  parameters: MutualParameters,
): MessageInitShape<typeof CommonTlsContextSchema> {
  return create(CommonTlsContextSchema, {
    tlsParams: parametersOf(parameters),
    alpnProtocols: [...alpnProtocols],
    tlsCertificateSdsSecretConfigs: [secretConfig(names.certificate)],
    validationContextType: {
      case: "combinedValidationContext",
      value: create(CombinedSchema, {
        defaultValidationContext: create(CertificateValidationContextSchema, {
          matchTypedSubjectAltNames: peers,
        }),
        validationContextSdsSecretConfig: secretConfig(names.authorities),
      }),
    },
  });
}

/**
 * Ends mutual TLS at a workload.
 *
 * @param trustDomains whose workloads may connect; empty: those of any that the authorities vouch for
 */
export function mutualServerTls(
  names: SecretNames,
  trustDomains: readonly string[],
  parameters: MutualParameters = {},
): TransportSocket {
  return tlsSocket(packAny(DownstreamTlsContextSchema, {
    requireClientCertificate: true,
    commonTlsContext: contextOf(names, ofDomains(trustDomains), SERVER_ALPN, parameters),
  }));
}

/** Towards whom mutual TLS is opened. */
export interface MutualClient {
  /** Server name that tells gateways between networks where to. */
  readonly sni: string;
  /** Identities that the workload may have; empty: any that the authorities vouch for. */
  readonly identities: readonly string[];
  /** What is inside, where that is known. */
  readonly alpn: readonly string[];
  /** Default: Envoy's. */
  readonly parameters?: MutualParameters;
}

/** Opens mutual TLS towards a workload. */
export function mutualClientTls(
  names: SecretNames,
  { sni, identities, alpn, parameters = {} }: MutualClient,
): TransportSocket {
  const peers = identities.map((identity) => uri({ case: "exact", value: identity }));
  return tlsSocket(packAny(UpstreamTlsContextSchema, {
    sni,
    commonTlsContext: contextOf(names, peers, [...alpn, MESH_ALPN], parameters),
  }));
}
