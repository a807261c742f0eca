/**
 * TLS to a service, as its rule configures it.
 *
 * @module
 */
import type { Cluster } from "#envoy/config/cluster/v3/cluster_pb.ts";
import {
  type CertificateValidationContext,
  CertificateValidationContextSchema,
  type TlsParameters,
  TlsParameters_TlsProtocol as EnvoyVersion,
  TlsParametersSchema,
} from "#envoy/extensions/transport_sockets/tls/v3/common_pb.ts";
import {
  type CommonTlsContext,
  CommonTlsContext_CombinedCertificateValidationContextSchema as CombinedSchema,
  UpstreamTlsContextSchema,
} from "#envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import {
  type MeshConfig_TLSConfig as TlsDefaults,
  MeshConfig_TLSConfig_TLSProtocol as Least,
} from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  type ClientTLSSettings,
  ClientTLSSettings_TLSmode as Mode,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { create, packAny } from "../../../kit/proto/mod.ts";
import { CIPHER_SUITES } from "../../schema/mod.ts";
import { clientCredentialNames, type CredentialNames } from "../authentication/mod.ts";
import {
  credentialConfig,
  fileCertificate,
  fileSource,
  sanMatchers,
  tlsSocket,
} from "../core/mod.ts";
import type { RequestNames, UpstreamHttp } from "./http_options.ts";

/**
 * Trusted authorities if a rule names none: the bundle of the proxy's operating system at the path
 * that Debian and its derivatives use. Envoy has no setting for the system's bundle, and no
 * verification would be worse than a failure.
 */
export const SYSTEM_AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";

/** TLS settings that originate TLS without certificates of the mesh. */
export type ActingTls = ClientTLSSettings & { readonly mode: Mode.SIMPLE | Mode.MUTUAL };

/** Reports if TLS settings originate such TLS. */
export function originatesTls(tls: ClientTLSSettings | undefined): tls is ActingTls {
  return tls !== undefined && (tls.mode === Mode.SIMPLE || tls.mode === Mode.MUTUAL);
}

/** Inputs of {@link applyTls} besides the TLS settings. */
export interface TlsOptions {
  /** The HTTP version of the cluster. */
  readonly http: UpstreamHttp;
  /**
   * Names in the service's certificates from the service itself; names of the TLS settings come
   * before them. Default: none.
   */
  readonly serviceNames?: readonly string[];
  /**
   * True: the proxies get the secret of `credentialName`; default: false, and `credentialName` is
   * ignored.
   */
  readonly credentials?: boolean;
  /** Secret with a certificate for servers that ask for one, with mode SIMPLE. Default: none. */
  readonly certificate?: string | undefined;
  /** The mesh's defaults for TLS outside the mesh (`tlsDefaults`). */
  readonly defaults?: TlsDefaults | undefined;
}

/** Sets the TLS context of a cluster. */
export function applyTls(
  cluster: Cluster,
  tls: ClientTLSSettings | undefined,
  { http, serviceNames = [], credentials = false, certificate, defaults }: TlsOptions,
): void {
  if (!originatesTls(tls)) return;
  const names = credentials ? clientCredentialNames(tls) : undefined;
  cluster.transportSocket = tlsSocket(packAny(UpstreamTlsContextSchema, {
    sni: tls.sni,
    commonTlsContext: {
      tlsParams: parametersOf(defaults),
      ...certificate !== undefined && tls.mode === Mode.SIMPLE
        ? { tlsCertificateSdsSecretConfigs: [credentialConfig(certificate)] }
        : certificatesOf(tls, names),
      validationContextType: validationType(tls, serviceNames, names),
      // Without this, a server that supports both would select HTTP/1.1.
      alpnProtocols: http === "http2" ? ["h2"] : [],
    },
  }));
}

/**
 * Envoy clients use at most TLS 1.2 by default, so the maximum version is set too if TLS 1.3 is the
 * minimum.
 */
function parametersOf(defaults: TlsDefaults | undefined): TlsParameters | undefined {
  if (defaults === undefined) return undefined;
  const { minProtocolVersion: least, ecdhCurves } = defaults;
  const cipherSuites = [...new Set(defaults.cipherSuites)].filter((suite) =>
    CIPHER_SUITES.has(suite)
  );
  const silent = least === Least.TLS_AUTO && ecdhCurves.length === 0 && cipherSuites.length === 0;
  if (silent) return undefined;
  const newest = least === Least.TLSV1_3;
  return create(TlsParametersSchema, {
    tlsMinimumProtocolVersion: newest
      ? EnvoyVersion.TLSv1_3
      : least === Least.TLSV1_2
      ? EnvoyVersion.TLSv1_2
      : EnvoyVersion.TLS_AUTO,
    tlsMaximumProtocolVersion: newest ? EnvoyVersion.TLSv1_3 : EnvoyVersion.TLS_AUTO,
    ecdhCurves,
    cipherSuites,
  });
}

function certificatesOf(
  { mode, clientCertificate, privateKey }: ActingTls,
  names: CredentialNames | undefined,
): Partial<Pick<CommonTlsContext, "tlsCertificates" | "tlsCertificateSdsSecretConfigs">> {
  if (mode !== Mode.MUTUAL) return {};
  if (names !== undefined) {
    return { tlsCertificateSdsSecretConfigs: names.certificates.map(credentialConfig) };
  }
  return {
    tlsCertificates: clientCertificate === ""
      ? []
      : [fileCertificate(clientCertificate, privateKey)],
  };
}

function validationType(
  tls: ActingTls,
  serviceNames: readonly string[],
  names: CredentialNames | undefined,
): CommonTlsContext["validationContextType"] {
  const own = validationOf(tls, serviceNames);
  if (own === undefined) return { case: undefined };
  if (names?.authorities === undefined) return { case: "validationContext", value: own };
  own.trustedCa = undefined;
  return {
    case: "combinedValidationContext",
    value: create(CombinedSchema, {
      defaultValidationContext: own,
      validationContextSdsSecretConfig: credentialConfig(names.authorities),
    }),
  };
}

function validationOf(
  tls: ActingTls,
  serviceNames: readonly string[],
): CertificateValidationContext | undefined {
  if (tls.insecureSkipVerify) return undefined;
  return create(CertificateValidationContextSchema, {
    trustedCa: fileSource(tls.caCertificates || SYSTEM_AUTHORITIES),
    crl: fileSource(tls.caCrl),
    matchTypedSubjectAltNames: sanMatchers(expectedNames(tls, serviceNames)),
  });
}

function expectedNames(tls: ActingTls, serviceNames: readonly string[]): readonly string[] {
  return tls.subjectAltNames.length > 0 ? tls.subjectAltNames : serviceNames;
}

/**
 * Returns the TLS names that come from HTTP requests if the rule does not set them: the server name
 * is the request's host, and the certificate must have that name.
 *
 * @returns `undefined` if no name comes from requests
 */
export function namesOfRequests(
  tls: ClientTLSSettings | undefined,
  serviceNames: readonly string[],
): RequestNames | undefined {
  if (!originatesTls(tls)) return undefined;
  const autoSni = tls.sni === "";
  const autoSanValidation = !tls.insecureSkipVerify &&
    expectedNames(tls, serviceNames).length === 0;
  return autoSni || autoSanValidation ? { autoSni, autoSanValidation } : undefined;
}
