/**
 * Parts of messages of several types: addresses, names of clusters, metadata, configuration
 * sources (ADS), TLS contexts, DNS caches, sticky sessions.
 *
 * @module
 */
export {
  cidrRange,
  pipeOrSocket,
  socket,
  splitHostPort,
  udpAddress,
  UNIX_PREFIX,
} from "./address.ts";
export {
  BLACK_HOLE_CLUSTER,
  clusterName,
  dnsSrvClusterName,
  DYNAMIC_PASSTHROUGH_CLUSTER,
  INBOUND_PASSTHROUGH_CLUSTER,
  inboundClusterName,
  inboundHostName,
  PASSTHROUGH_CLUSTER,
  statName,
} from "./cluster_names.ts";
export { adsSource, ON_DEMAND_MS } from "./config_source.ts";
export { dnsCache, type Lookup, LOOKUP_FAMILIES } from "./dns_cache.ts";
export { fipsParameters } from "./fips.ts";
export { keepingCase } from "./header_case.ts";
export {
  configObject,
  MESH_METADATA,
  meshMetadata,
  PEER_HEADER,
  WORKLOAD_KEY,
} from "./metadata.ts";
export { ownSource } from "./own_source.ts";
export { AUTHORIZER_FILTER } from "./authorizer_filter.ts";
export { SESSION_FILTER, type SessionLabels, sessionOfRoute, sessionRule } from "./session.ts";
export {
  backendOfSession,
  SESSION_BACKEND_FILTER,
  sessionBackendFilter,
} from "./session_backends.ts";
export {
  NO_TELEMETRY,
  type Side,
  type SideTelemetry,
  type TelemetrySet,
} from "./side_telemetry.ts";
export {
  agentSecretConfig,
  AUTHORITIES_SECRET,
  credentialConfig,
  externalConfig,
  fileCertificate,
  fileSource,
  MESH_ALPN,
  MESH_HTTP_ALPNS,
  rawSocket,
  sanMatchers,
  secretConfig,
  tlsSocket,
  WORKLOAD_SECRET,
} from "./tls_context.ts";
export { PAYLOAD, TOKEN_FILTER } from "./token_metadata.ts";
export {
  CONNECT_ORIGINATE,
  CONNECT_TERMINATE,
  DESTINATION_STATE,
  GATEWAY_STATE,
  INNER_ORIGINATE,
  internalAddress,
  internalSocket,
  LOCAL_PRINCIPAL,
  MAIN_INTERNAL,
  OUTER_ORIGINATE,
  PEER_PRINCIPAL,
  PROXY_TERMINATE,
  SERVICE_STATE,
  SOURCE_STATE,
  TUNNEL_KEYS,
  TUNNEL_METADATA,
  TUNNEL_MODE,
  TUNNEL_PORT,
  tunnelAddress,
  tunnelId,
  tunnelListener,
} from "./tunnels.ts";
