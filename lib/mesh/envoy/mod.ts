/**
 * Builders of Envoy messages: pure functions from plain data to messages. They use the types of the
 * mesh (`model`) and of configuration (`schema`), but not the graph or its tables.
 *
 * @module
 */
export {
  AGENT,
  AGENT_OPTION,
  CERTIFICATE_OPTIONS,
  CLIENT,
  clientSecrets,
  credentialNames,
  credentialSecret,
  EXTERNAL_OPTION,
  hasUsableKey,
  type Keys,
  type MutualParameters,
  mutualServerTls,
  pullSecret,
  pullSecretName,
  type SecretNames,
  secretNames,
  SHARED,
  tokenFilter,
  workloadSecrets,
} from "./authentication/mod.ts";
export {
  type AuthorizationFilters,
  authorizationFilters,
  type AuthorizationInput,
  effectOf,
  extAuthzConfig,
  grpcAccessFilters,
  isDryRun,
  type PolicyObject,
} from "./authorization/mod.ts";
export {
  applySettings,
  type MeshClusterDefaults,
  type MutualInput,
  type OutboundClusterInput,
} from "./cluster_options/mod.ts";
export {
  blackHoleCluster,
  buildInboundCluster,
  buildOutboundCluster,
  dynamicPassthroughCluster,
  type InboundClusterInput,
  inboundPassthroughCluster,
  type InboundTarget,
  parseDefaultEndpoint,
  passthroughCluster,
} from "./clusters/mod.ts";
export {
  connectionSettings,
  DRAIN_OPTION,
  type ManagerDefaults,
  type PathNormalization,
  type ProxySettings,
} from "./connection_manager/mod.ts";
export {
  BLACK_HOLE_CLUSTER,
  clusterName,
  dnsSrvClusterName,
  inboundClusterName,
  inboundHostName,
  MESH_ALPN,
  MESH_HTTP_ALPNS,
  NO_TELEMETRY,
  parseClusterName,
  PASSTHROUGH_CLUSTER,
  SESSION_FILTER,
  type SessionLabels,
  sessionRule,
  type TelemetrySet,
} from "./core/mod.ts";
export {
  type AssignmentInput,
  canonicalOf,
  encodeAssignment,
  gatewaysTo,
  type LocalityRule,
  localityRule,
  planAssignment,
  type Reach,
} from "./endpoints/mod.ts";
export {
  buildGrpcCluster,
  buildGrpcListener,
  buildGrpcRoutes,
  buildGrpcServerListener,
} from "./grpc/mod.ts";
export {
  gatewayHttpListener,
  gatewayQuicListener,
  gatewayTcpListener,
  type GatewayTlsChain,
  gatewayTlsListener,
  type InboundPort,
  ingressListener,
  type KnownProtocol,
  listenerName,
  listenersAt,
  NO_SECURITY,
  outboundHttpListener,
  type OutboundTcpInput,
  outboundTcpListener,
  type SecurityPolicies,
  type TcpChain,
  virtualInbound,
  virtualOutbound,
  type WeightedCluster,
} from "./listeners/mod.ts";
export {
  additionOf,
  type Change,
  type Changes,
  type Editor,
  EDITORS,
  type Patch,
  type PatchedType,
  type Plugin,
  pullSecretOf,
} from "./patches/mod.ts";
export {
  defaultRoute,
  hashesSourceIp,
  hashPolicyFor,
  inboundRetries,
  inboundRoute,
  joinRoutes,
  type MeshRouteDefaults,
  type ResolvedDestination,
  type RouteSource,
  translateHttpRoutes,
  translateTcpRoutes,
  translateTlsRoutes,
} from "./routes/mod.ts";
export {
  type AccessLogSettings,
  buildTelemetry,
  fileLog,
  needsCluster,
  TELEMETRY_KINDS,
  type TelemetryKind,
  type TelemetryResult,
  tracingRule,
  unfit,
  unmatchedOnly,
} from "./telemetry/mod.ts";
export {
  blackHoleVirtualHost,
  type CatchAll,
  catchAllVirtualHost,
  connectRoute,
  type DomainOptions,
  domainsFor,
  hostPort,
  renamedVirtualHost,
  routeConfiguration,
  shortNames,
  virtualHostFor,
} from "./virtual_hosts/mod.ts";
