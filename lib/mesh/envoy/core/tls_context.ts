/**
 * TLS parts for both sides of a proxy. Certificates and keys are files on the proxy's machine; the
 * control plane does not read their content.
 *
 * @module
 */
import {
  type DataSource,
  DataSourceSchema,
  type TransportSocket,
  TransportSocketSchema,
} from "#envoy/config/core/v3/base_pb.ts";
import { RawBufferSchema } from "#envoy/extensions/transport_sockets/raw_buffer/v3/raw_buffer_pb.ts";
import {
  type SubjectAltNameMatcher,
  SubjectAltNameMatcher_SanType as SanType,
  SubjectAltNameMatcherSchema,
  type TlsCertificate,
  TlsCertificateSchema,
} from "#envoy/extensions/transport_sockets/tls/v3/common_pb.ts";
import {
  type SdsSecretConfig,
  SdsSecretConfigSchema,
} from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { type Any, create, durationOf, packAny } from "../../../kit/proto/mod.ts";
import { adsSource, agentSource, externalSource } from "./config_source.ts";

/** A transport socket without security. */
export function rawSocket(): TransportSocket {
  return create(TransportSocketSchema, {
    name: "envoy.transport_sockets.raw_buffer",
    configType: { case: "typedConfig", value: packAny(RawBufferSchema, {}) },
  });
}

/** Name of Envoy's TLS transport socket. */
const TLS_SOCKET = "envoy.transport_sockets.tls";

/** The transport socket of a packed TLS context. */
export function tlsSocket(context: Any): TransportSocket {
  return create(TransportSocketSchema, {
    name: TLS_SOCKET,
    configType: { case: "typedConfig", value: context },
  });
}

/** A file on the proxy's machine; `undefined` for an empty path. */
export function fileSource(path: string): DataSource | undefined {
  if (path === "") return undefined;
  return create(DataSourceSchema, { specifier: { case: "filename", value: path } });
}

/** A certificate chain with its key, both PEM files. */
export function fileCertificate(chain: string, key: string): TlsCertificate {
  return create(TlsCertificateSchema, {
    certificateChain: fileSource(chain),
    privateKey: fileSource(key),
  });
}

/** Certificate name types to match. The configuration does not specify a type. */
const SAN_TYPES = [SanType.DNS, SanType.URI, SanType.EMAIL, SanType.IP_ADDRESS] as const;

/** Matches certificates that have one of these exact names, of any type; empty for no names. */
export function sanMatchers(names: readonly string[]): SubjectAltNameMatcher[] {
  return names.flatMap((name) =>
    SAN_TYPES.map((sanType) =>
      create(SubjectAltNameMatcherSchema, {
        sanType,
        matcher: { matchPattern: { case: "exact", value: name } },
      })
    )
  );
}

/** ALPN protocol that marks the mesh's mutual TLS, as opposed to an application's own TLS. */
export const MESH_ALPN = "mesh";

/** ALPN protocols that proxies offer in addition if the content is HTTP. */
export const MESH_HTTP_ALPNS = ["mesh-http/1.1", "mesh-h2"] as const;

/** Name of the secret with a workload's own certificate and key. */
export const WORKLOAD_SECRET = "default";

/** Name of the secret with the trusted authorities. */
export const AUTHORITIES_SECRET = "ROOTCA";

/** A secret that is fetched by name (SDS). */
export function secretConfig(name: string): SdsSecretConfig {
  return create(SdsSecretConfigSchema, { name, sdsConfig: adsSource() });
}

/** A secret that the proxy's agent serves on its own socket. */
export function agentSecretConfig(name: string): SdsSecretConfig {
  return create(SdsSecretConfigSchema, { name, sdsConfig: agentSource() });
}

/**
 * Time for which a listener waits for a Gateway's certificate, ms. A missing certificate must not
 * block the other servers of the listener.
 */
const CREDENTIAL_FETCH_MS = 5_000;

/** A secret that may be missing. */
export function credentialConfig(name: string): SdsSecretConfig {
  const sdsConfig = adsSource();
  sdsConfig.initialFetchTimeout = durationOf(CREDENTIAL_FETCH_MS);
  return create(SdsSecretConfigSchema, { name, sdsConfig });
}

/** A secret that another program on the proxy's machine serves; it may be missing. */
export function externalConfig(name: string): SdsSecretConfig {
  const sdsConfig = externalSource();
  sdsConfig.initialFetchTimeout = durationOf(CREDENTIAL_FETCH_MS);
  return create(SdsSecretConfigSchema, { name, sdsConfig });
}
