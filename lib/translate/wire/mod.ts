/**
 * Pieces of Envoy messages that the builders of clusters, endpoints and
 * listeners share: addresses, the source of dynamic resources, metadata, TLS.
 *
 * @module
 */
export { cidrRange, pipeOrSocket, socket, splitHostPort, UNIX_PREFIX } from "./address.ts";
export { dnsCache, type Lookup, LOOKUP_FAMILIES } from "./dns_cache.ts";
export { keepingCase } from "./header_case.ts";
export { configObject, MESH_METADATA, meshMetadata, PEER_HEADER } from "./metadata.ts";
export { adsSource, ON_DEMAND_MS } from "./source.ts";
export {
  AUTHORITIES_SECRET,
  credentialConfig,
  fileCertificate,
  fileSource,
  MESH_ALPN,
  MESH_HTTP_ALPNS,
  sanMatchers,
  secretConfig,
  tlsSocket,
  WORKLOAD_SECRET,
} from "./tls.ts";
