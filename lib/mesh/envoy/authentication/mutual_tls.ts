/**
 * Mutual TLS between proxies of the mesh. Certificates are referenced by secret name, so the
 * configuration is the same for all workloads.
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
import { create, type MessageInitShape, packAny } from "../../../kit/proto/mod.ts";
import type { SdsSecretConfig } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import {
  agentSecretConfig,
  fipsParameters,
  MESH_ALPN,
  secretConfig,
  tlsSocket,
} from "../core/mod.ts";
import type { SecretNames } from "./secrets.ts";

/**
 * ALPN protocols that a server offers inside mutual TLS to clients that are not proxies of the
 * mesh.
 */
const SERVER_ALPN = ["h2", "http/1.1"];

/** Matches the identities of all workloads of some trust domains. */
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

/** TLS parameters of the mesh for mutual TLS between proxies. */
export interface MutualParameters {
  /** Only what FIPS 140-2 allows, whatever the other fields say. */
  readonly fips?: boolean;
  /** Rejects TLS 1.2. */
  readonly onlyNewest?: boolean;
  /** Key exchange curves in order of preference; empty: Envoy's default. */
  readonly curves?: readonly string[];
  /** Cipher suites of TLS 1.2 in order of preference; empty: Envoy's default. */
  readonly suites?: readonly string[];
}

/**
 * Envoy clients use at most TLS 1.2 by default, so the maximum version is set too when TLS 1.3 is
 * required.
 */
function parametersOf(
  { fips, onlyNewest, curves = [], suites = [] }: MutualParameters,
): TlsParameters {
  if (fips) return fipsParameters();
  return create(TlsParametersSchema, {
    tlsMinimumProtocolVersion: onlyNewest ? Version.TLSv1_3 : Version.TLSv1_2,
    tlsMaximumProtocolVersion: onlyNewest ? Version.TLSv1_3 : Version.TLS_AUTO,
    ecdhCurves: [...curves],
    cipherSuites: [...suites],
  });
}

function configOf({ fromAgent }: SecretNames, name: string): SdsSecretConfig {
  return fromAgent ? agentSecretConfig(name) : secretConfig(name);
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
    tlsCertificateSdsSecretConfigs: [configOf(names, names.certificate)],
    validationContextType: {
      case: "combinedValidationContext",
      value: create(CombinedSchema, {
        defaultValidationContext: create(CertificateValidationContextSchema, {
          matchTypedSubjectAltNames: peers,
        }),
        validationContextSdsSecretConfig: configOf(names, names.authorities),
      }),
    },
  });
}

/**
 * Terminates mutual TLS at a workload.
 *
 * @param trustDomains trust domains whose workloads may connect; empty: every identity that the
 * authorities signed
 */
export function mutualServerTls(
  names: SecretNames,
  trustDomains: readonly string[],
  parameters: MutualParameters = {},
): TransportSocket {
  return serverSocket(contextOf(names, ofDomains(trustDomains), SERVER_ALPN, parameters));
}

/** The socket of a server that demands a certificate. */
function serverSocket(commonTlsContext: ReturnType<typeof contextOf>): TransportSocket {
  return tlsSocket(packAny(DownstreamTlsContextSchema, {
    requireClientCertificate: true,
    commonTlsContext,
  }));
}

/** Settings of a mutual TLS client. */
export interface MutualClient {
  /** Server name (SNI). Gateways between networks route by it. */
  readonly sni: string;
  /** Accepted identities of the server; empty: every identity that the authorities signed. */
  readonly identities: readonly string[];
  /** ALPN protocols of the content; empty if it is not known. */
  readonly alpn: readonly string[];
  /** Default: Envoy's defaults. */
  readonly parameters?: MutualParameters;
}

/** Originates mutual TLS to a workload. */
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

/** ALPN protocol of tunnels: HTTP/2, which the node proxy uses too. */
const TUNNEL_ALPN = ["h2"];

/**
 * Terminates the TLS of tunnels.
 *
 * @param trustDomains see {@link mutualServerTls}
 */
export function tunnelServerTls(
  names: SecretNames,
  trustDomains: readonly string[],
  parameters: MutualParameters = {},
): TransportSocket {
  return serverSocket(tunnelContext(names, trustDomains, parameters));
}

function tunnelContext(
  names: SecretNames,
  trustDomains: readonly string[],
  parameters: MutualParameters,
): ReturnType<typeof contextOf> {
  const onlyNewest = parameters.fips !== true;
  return contextOf(names, ofDomains(trustDomains), TUNNEL_ALPN, { ...parameters, onlyNewest });
}

/**
 * Originates the TLS of tunnels. Which workload is at the other end is checked for each connection:
 * it is part of the endpoint.
 *
 * @param trustDomains trust domains that servers may have; empty: every identity that the authorities
 * signed
 */
export function tunnelClientTls(
  names: SecretNames,
  trustDomains: readonly string[],
  parameters: MutualParameters = {},
): TransportSocket {
  const commonTlsContext = tunnelContext(names, trustDomains, parameters);
  return tlsSocket(packAny(UpstreamTlsContextSchema, { commonTlsContext }));
}
