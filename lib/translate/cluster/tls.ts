/**
 * TLS towards a service, as its rule asks for.
 *
 * @module
 */
import type { Cluster } from "#envoy/config/cluster/v3/cluster_pb.ts";
import {
  type CertificateValidationContext,
  CertificateValidationContextSchema,
} from "#envoy/extensions/transport_sockets/tls/v3/common_pb.ts";
import { UpstreamTlsContextSchema } from "#envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import {
  type ClientTLSSettings,
  ClientTLSSettings_TLSmode as Mode,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { create, packAny } from "../../proto/mod.ts";
import { fileCertificate, fileSource, sanMatchers, tlsSocket } from "../wire/mod.ts";
import type { RequestNames, UpstreamHttp } from "./http_options.ts";

/**
 * Authorities that are trusted where a rule names none: those of the proxy's
 * operating system, where Debian and its descendants keep them. Envoy has no
 * word for "the system's", and not to verify would be worse than to fail.
 */
export const SYSTEM_AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";

/** TLS settings that are acted on: certificates that must be fetched are not there to be had. */
export type ActingTls = ClientTLSSettings & { readonly mode: Mode.SIMPLE | Mode.MUTUAL };

/** Whether TLS settings lead to TLS; modes and credentials that need issued certificates do not. */
export function originatesTls(tls: ClientTLSSettings | undefined): tls is ActingTls {
  return tls !== undefined && (tls.mode === Mode.SIMPLE || tls.mode === Mode.MUTUAL) &&
    tls.credentialName === "";
}

/**
 * Gives a cluster TLS.
 *
 * @param serviceNames names that the service's certificates bear by its own
 * definition; the rule's own come before them
 */
export function applyTls(
  cluster: Cluster,
  tls: ClientTLSSettings | undefined,
  http: UpstreamHttp,
  serviceNames: readonly string[],
): void {
  if (!originatesTls(tls)) return;
  const validation = validationOf(tls, serviceNames);
  cluster.transportSocket = tlsSocket(packAny(UpstreamTlsContextSchema, {
    sni: tls.sni,
    commonTlsContext: {
      tlsCertificates: tls.mode === Mode.MUTUAL
        ? [fileCertificate(tls.clientCertificate, tls.privateKey)]
        : [],
      validationContextType: validation && { case: "validationContext", value: validation },
      // A server that speaks both would choose HTTP/1.1 if it were not told.
      alpnProtocols: http === "http2" ? ["h2"] : [],
    },
  }));
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
 * What HTTP requests decide where the rule does not: the server name is that of
 * the request, and so is the name that the certificate must bear.
 *
 * @returns `undefined` when nothing is left to requests
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
