/**
 * TLS to the collectors of the proxy configuration (`tlsSettings`), with certificates in files.
 *
 * @module
 */
import type { JsonObject } from "../../kit/proto/mod.ts";
import {
  type ClientTLSSettings,
  ClientTLSSettings_TLSmode as Mode,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";

const UPSTREAM_TLS =
  "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext";

/** Trusted authorities if the settings name none: the bundle of Debian and its derivatives. */
const SYSTEM_AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";

/** Types of certificate names. The settings do not specify a type. */
const SAN_TYPES = ["DNS", "URI", "EMAIL", "IP_ADDRESS"];

/** Returns why this agent cannot connect with TLS settings; `undefined` if it can. */
export function unsupportedTls(tls: ClientTLSSettings | undefined): string | undefined {
  if (tls === undefined) return undefined;
  if (tls.mode === Mode.MESH_MUTUAL) return "certificates of workloads are not supported yet";
  if (tls.mode !== Mode.DISABLE && tls.credentialName !== "") {
    return "credentialName is not supported here; name files";
  }
  return undefined;
}

/**
 * Returns `transport_socket` of a collector's cluster; empty if the connection is plain.
 *
 * @param alpn protocols to offer
 */
export function transportSocket(
  tls: ClientTLSSettings | undefined,
  alpn: readonly string[] = [],
): JsonObject {
  if (tls === undefined || tls.mode === Mode.DISABLE) return {};
  return {
    transport_socket: {
      name: "envoy.transport_sockets.tls",
      typed_config: {
        "@type": UPSTREAM_TLS,
        ...(tls.sni === "" ? {} : { sni: tls.sni }),
        common_tls_context: {
          ...(alpn.length === 0 ? {} : { alpn_protocols: [...alpn] }),
          ...certificates(tls),
          ...(tls.insecureSkipVerify ? {} : { validation_context: validation(tls) }),
        },
      },
    },
  };
}

function certificates({ mode, clientCertificate, privateKey }: ClientTLSSettings): JsonObject {
  if (mode !== Mode.MUTUAL) return {};
  return {
    tls_certificates: [{
      certificate_chain: { filename: clientCertificate },
      private_key: { filename: privateKey },
    }],
  };
}

function validation({ caCertificates, caCrl, subjectAltNames }: ClientTLSSettings): JsonObject {
  const names = subjectAltNames.flatMap((exact) =>
    SAN_TYPES.map((san_type) => ({ san_type, matcher: { exact } }))
  );
  return {
    trusted_ca: { filename: caCertificates || SYSTEM_AUTHORITIES },
    ...(caCrl === "" ? {} : { crl: { filename: caCrl } }),
    ...(names.length === 0 ? {} : { match_typed_subject_alt_names: names }),
  };
}
