/**
 * TLS for clients of a gateway.
 *
 * @module
 */
import { type TransportSocket, TransportSocketSchema } from "#envoy/config/core/v3/base_pb.ts";
import { QuicDownstreamTransportSchema } from "#envoy/extensions/transport_sockets/quic/v3/quic_transport_pb.ts";
import {
  type CertificateValidationContext,
  CertificateValidationContext_TrustChainVerification as TrustChain,
  CertificateValidationContextSchema,
  type TlsParameters,
  TlsParameters_TlsProtocol as EnvoyVersion,
  TlsParametersSchema,
} from "#envoy/extensions/transport_sockets/tls/v3/common_pb.ts";
import {
  type CommonTlsContext,
  CommonTlsContext_CombinedCertificateValidationContextSchema as CombinedSchema,
  DownstreamTlsContextSchema,
} from "#envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import type { SdsSecretConfig } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import {
  type ServerTLSSettings,
  ServerTLSSettings_TLSmode as Mode,
  ServerTLSSettings_TLSProtocol as Version,
} from "#mesh/networking/v1alpha3/gateway_pb.ts";
import { create, packAny } from "../../../kit/proto/mod.ts";
import { CIPHER_SUITES } from "../../schema/mod.ts";
import {
  agentSecretConfig,
  credentialConfig,
  externalConfig,
  fileCertificate,
  fileSource,
  sanMatchers,
  tlsSocket,
  WORKLOAD_SECRET,
} from "../core/mod.ts";
import { type CredentialNames, credentialNames, externalName } from "./credentials.ts";

/** Programs on the gateway's machine that serve secrets. */
export interface SecretSockets {
  /** The agent serves the proxy's own certificate (`builtin://`). */
  readonly agent?: boolean;
  /** Another program serves the names that begin with `sds://`. */
  readonly external?: boolean;
}

/** All secrets come from the daemon. */
const NO_SOCKETS: SecretSockets = {};

/**
 * ALPN protocols of a server, in order of preference. Servers whose content is TCP offer them too:
 * clients of HTTP end their TLS there and may insist on an answer.
 */
const HTTP_ALPN = ["h2", "http/1.1"];

const VERSIONS: Readonly<Record<Version, EnvoyVersion>> = {
  [Version.TLS_AUTO]: EnvoyVersion.TLS_AUTO,
  [Version.TLSV1_0]: EnvoyVersion.TLSv1_0,
  [Version.TLSV1_1]: EnvoyVersion.TLSv1_1,
  [Version.TLSV1_2]: EnvoyVersion.TLSv1_2,
  [Version.TLSV1_3]: EnvoyVersion.TLSv1_3,
};

/**
 * Returns the transport socket of a server whose certificates are files, or secrets by name.
 *
 * @param sockets default: none
 */
export function serverTls(
  tls: ServerTLSSettings,
  sockets: SecretSockets = NO_SOCKETS,
): TransportSocket {
  const names = credentialNames(tls);
  return tlsSocket(packAny(DownstreamTlsContextSchema, {
    requireClientCertificate: tls.mode === Mode.MUTUAL,
    commonTlsContext: {
      alpnProtocols: HTTP_ALPN,
      tlsParams: parameters(tls),
      ...certificates(tls, names, sockets),
      validationContextType: validation(tls, names, sockets),
    },
  }));
}

/** ALPN protocols for clients of HTTP/3. */
const HTTP3_ALPN = ["h3"];

/**
 * Returns the transport socket of a server over QUIC. QUIC uses TLS 1.3 without further parameters
 * and without client certificates.
 */
export function quicTls(
  tls: ServerTLSSettings,
  sockets: SecretSockets = NO_SOCKETS,
): TransportSocket {
  return create(TransportSocketSchema, {
    name: "envoy.transport_sockets.quic",
    configType: {
      case: "typedConfig",
      value: packAny(QuicDownstreamTransportSchema, {
        downstreamTlsContext: {
          commonTlsContext: {
            alpnProtocols: HTTP3_ALPN,
            ...certificates(tls, credentialNames(tls), sockets),
          },
        },
      }),
    },
  });
}

function certificates(
  tls: ServerTLSSettings,
  names: CredentialNames | undefined,
  sockets: SecretSockets,
): Partial<Pick<CommonTlsContext, "tlsCertificates" | "tlsCertificateSdsSecretConfigs">> {
  if (names !== undefined && names.certificates.length > 0) {
    return {
      tlsCertificateSdsSecretConfigs: names.certificates.map((name) => configOf(name, sockets)),
    };
  }
  const files = tls.tlsCertificates.length > 0
    ? tls.tlsCertificates.map((c) => fileCertificate(c.serverCertificate, c.privateKey))
    : [fileCertificate(tls.serverCertificate, tls.privateKey)];
  return { tlsCertificates: files };
}

/** Without the socket, a name of another program is one that the daemon does not have. */
function configOf(name: string, { agent, external }: SecretSockets): SdsSecretConfig {
  if (agent && name === WORKLOAD_SECRET) return agentSecretConfig(name);
  const elsewhere = external ? externalName(name) : undefined;
  return elsewhere === undefined ? credentialConfig(name) : externalConfig(elsewhere);
}

function validation(
  tls: ServerTLSSettings,
  names: CredentialNames | undefined,
  sockets: SecretSockets,
): CommonTlsContext["validationContextType"] {
  const own = clientValidation(tls);
  if (own === undefined) return { case: undefined };
  if (names?.authorities === undefined) return { case: "validationContext", value: own };
  return {
    case: "combinedValidationContext",
    value: create(CombinedSchema, {
      defaultValidationContext: own,
      validationContextSdsSecretConfig: configOf(names.authorities, sockets),
    }),
  };
}

/**
 * Cipher suites that Envoy does not know are omitted, because Envoy would reject the listener;
 * validation warned about them.
 */
function parameters(tls: ServerTLSSettings): TlsParameters | undefined {
  const { minProtocolVersion: min, maxProtocolVersion: max, ecdhCurves } = tls;
  const cipherSuites = [...new Set(tls.cipherSuites)].filter((suite) => CIPHER_SUITES.has(suite));
  const silent = min === Version.TLS_AUTO && max === Version.TLS_AUTO &&
    cipherSuites.length === 0 && ecdhCurves.length === 0;
  if (silent) return undefined;
  return create(TlsParametersSchema, {
    tlsMinimumProtocolVersion: VERSIONS[min],
    tlsMaximumProtocolVersion: VERSIONS[max],
    cipherSuites,
    ecdhCurves,
  });
}

/** Returns the validation of client certificates, if the TLS mode requests them. */
function clientValidation(tls: ServerTLSSettings): CertificateValidationContext | undefined {
  if (tls.mode !== Mode.MUTUAL && tls.mode !== Mode.OPTIONAL_MUTUAL) return undefined;
  return create(CertificateValidationContextSchema, {
    trustedCa: fileSource(tls.caCertificates),
    crl: fileSource(tls.caCrl),
    matchTypedSubjectAltNames: sanMatchers(tls.subjectAltNames),
    verifyCertificateSpki: tls.verifyCertificateSpki,
    verifyCertificateHash: tls.verifyCertificateHash,
    trustChainVerification: tls.insecureSkipVerify
      ? TrustChain.ACCEPT_UNTRUSTED
      : TrustChain.VERIFY_TRUST_CHAIN,
  });
}
