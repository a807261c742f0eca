/**
 * Pieces of TLS that both sides of a proxy share. Certificates and keys are files
 * on the proxy's machine: their content never passes through here.
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
import { type Any, create, durationOf, packAny } from "../../proto/mod.ts";
import { adsSource } from "./config_source.ts";

/** Connections that nothing secures. */
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

/** The kinds of names in certificates that configuration may mean: it does not say which. */
const SAN_TYPES = [SanType.DNS, SanType.URI, SanType.EMAIL, SanType.IP_ADDRESS] as const;

/** Holds for certificates that bear one of these names, whole and of any kind; empty for none. */
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

/** The protocol by which proxies of the mesh know each other's TLS from an application's own. */
export const MESH_ALPN = "mesh";

/** What they name beside it where HTTP is inside. */
export const MESH_HTTP_ALPNS = ["mesh-http/1.1", "mesh-h2"] as const;

/** Name of the secret with a workload's own certificate and key. */
export const WORKLOAD_SECRET = "default";

/** Name of the secret with the authorities that it trusts. */
export const AUTHORITIES_SECRET = "ROOTCA";

/** A secret that is served by name beside all other resources. */
export function secretConfig(name: string): SdsSecretConfig {
  return create(SdsSecretConfigSchema, { name, sdsConfig: adsSource() });
}

/**
 * How long a listener waits for a certificate that a Gateway names, ms: with one
 * that is not there, its other servers must go on.
 */
const CREDENTIAL_FETCH_MS = 5_000;

/** A secret that may not be there. */
export function credentialConfig(name: string): SdsSecretConfig {
  const sdsConfig = adsSource();
  sdsConfig.initialFetchTimeout = durationOf(CREDENTIAL_FETCH_MS);
  return create(SdsSecretConfigSchema, { name, sdsConfig });
}
