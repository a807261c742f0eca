/**
 * The environment's switches of generation, read once at start.
 *
 * @module
 */
import { MeshError } from "../../lib/base/mod.ts";
import { declareEnv } from "../../lib/env/mod.ts";
import type { Features } from "../../lib/translate/mod.ts";

const readers = ["pilot-discovery"] as const;

const PILOT_HTTP10 = declareEnv({
  name: "PILOT_HTTP10",
  type: "bool",
  default: false,
  doc: "Allow HTTP/1.0 in outbound HTTP listeners.",
  readers,
});
const PILOT_SCOPE_GATEWAY_TO_NAMESPACE = declareEnv({
  name: "PILOT_SCOPE_GATEWAY_TO_NAMESPACE",
  type: "bool",
  default: false,
  doc: "A gateway workload takes only Gateway resources of its own namespace.",
  readers,
});
const PILOT_ENABLE_TELEMETRY_LABEL = declareEnv({
  name: "PILOT_ENABLE_TELEMETRY_LABEL",
  type: "bool",
  default: true,
  doc: "Add telemetry metadata to clusters and endpoints.",
  readers,
});
const PILOT_ENABLE_METADATA_EXCHANGE = declareEnv({
  name: "PILOT_ENABLE_METADATA_EXCHANGE",
  type: "bool",
  default: true,
  doc: "Add the filters by which proxies tell each other who they are.",
  readers,
});
const PILOT_TRACE_SAMPLING = declareEnv({
  name: "PILOT_TRACE_SAMPLING",
  type: "float",
  default: 1,
  doc: "Percent of requests that are traced, 0 to 100 in steps of 0.01.",
  readers,
});
const PILOT_ENDPOINT_TELEMETRY_LABEL = declareEnv({
  name: "PILOT_ENDPOINT_TELEMETRY_LABEL",
  type: "bool",
  default: true,
  doc: "Add telemetry metadata to endpoints.",
  readers,
});
const EXCLUDE_UNSAFE_503_FROM_DEFAULT_RETRY = declareEnv({
  name: "EXCLUDE_UNSAFE_503_FROM_DEFAULT_RETRY",
  type: "bool",
  default: true,
  doc: "Leave 503 out of the default retry policy: the request may have been served.",
  readers,
});
const ENABLE_INBOUND_RETRY_POLICY = declareEnv({
  name: "ENABLE_INBOUND_RETRY_POLICY",
  type: "bool",
  default: true,
  doc: "Inbound routes retry requests that were reset before they reached the service.",
  readers,
});
const DATAPROXY_DNS_JITTER_DURATION = declareEnv({
  name: "DATAPROXY_DNS_JITTER_DURATION",
  type: "duration",
  default: 100,
  range: { least: 0 },
  doc: "Jitter added to periodic DNS resolution.",
  readers,
});
const PILOT_SEND_UNHEALTHY_ENDPOINTS = declareEnv({
  name: "PILOT_SEND_UNHEALTHY_ENDPOINTS",
  type: "bool",
  default: false,
  doc:
    "Send endpoints that are not ready too, marked unhealthy, and switch the panic threshold off.",
  readers,
});
const PILOT_SIDECAR_USE_REMOTE_ADDRESS = declareEnv({
  name: "PILOT_SIDECAR_USE_REMOTE_ADDRESS",
  type: "bool",
  default: false,
  doc: "Set use_remote_address on the outbound listeners of sidecars.",
  readers,
});

const ENABLE_100_CONTINUE_HEADERS = declareEnv({
  name: "ENABLE_100_CONTINUE_HEADERS",
  type: "bool",
  default: true,
  doc: "Proxy 100-continue headers unchanged.",
  readers,
});

const ENABLE_AUTO_SNI = declareEnv({
  name: "ENABLE_AUTO_SNI",
  type: "bool",
  default: true,
  doc: "TLS towards a service takes the server name of each request where its rule gives none.",
  readers,
});

const ENABLE_SELECTOR_BASED_K8S_GATEWAY_POLICY = declareEnv({
  name: "ENABLE_SELECTOR_BASED_K8S_GATEWAY_POLICY",
  type: "bool",
  default: true,
  doc:
    "Policies that select workloads by labels apply to Gateway API gateways too; otherwise only those with a targetRef do.",
  readers,
});

const PILOT_SKIP_VALIDATE_TRUST_DOMAIN = declareEnv({
  name: "PILOT_SKIP_VALIDATE_TRUST_DOMAIN",
  type: "bool",
  default: false,
  doc: "Accept callers of any trust domain that the authorities vouch for.",
  readers,
});

const PILOT_JWT_ENABLE_REMOTE_JWKS = declareEnv({
  name: "PILOT_JWT_ENABLE_REMOTE_JWKS",
  type: "string",
  default: "false",
  doc:
    "Who fetches the keys of a jwksUri: false or meshd, the daemon; true or hybrid, the proxy where they are at a service of the mesh and the daemon elsewhere; dataproxy, the proxy.",
  readers,
});

const REMOTE_KEYS: Readonly<Record<string, Features["remoteKeys"]>> = {
  false: "daemon",
  meshd: "daemon",
  true: "hybrid",
  hybrid: "hybrid",
  dataproxy: "proxy",
};

function remoteKeys(): Features["remoteKeys"] {
  const text = PILOT_JWT_ENABLE_REMOTE_JWKS.get();
  const known = Object.hasOwn(REMOTE_KEYS, text) ? REMOTE_KEYS[text] : undefined;
  if (known !== undefined) return known;
  const forms = Object.keys(REMOTE_KEYS).join(", ");
  throw new MeshError("env-value", `PILOT_JWT_ENABLE_REMOTE_JWKS is ${JSON.stringify(text)}`, {
    remedy: `Set it to one of ${forms}, or remove it.`,
  });
}

const PILOT_ENABLE_VHDS = declareEnv({
  name: "PILOT_ENABLE_VHDS",
  type: "bool",
  default: true,
  doc:
    "Send virtual hosts as resources of their own to sidecars that are Envoy and speak delta, so that a route change costs one host and not its table. Node metadata VHDS=false keeps a proxy out.",
  readers,
});

const PILOT_ENABLE_IP_AUTOALLOCATE = declareEnv({
  name: "PILOT_ENABLE_IP_AUTOALLOCATE",
  type: "bool",
  default: false,
  doc:
    "Give an address of 240.240.0.0/16 to hosts of ServiceEntries that have none, for every proxy; otherwise for those whose metadata has DNS_AUTO_ALLOCATE.",
  readers,
});

const MESH_MULTIROOT_MESH = declareEnv({
  name: "MESH_MULTIROOT_MESH",
  type: "bool",
  default: false,
  doc:
    "Serve the authorities of the mesh configuration (caCertificates) to the agents that ask for them.",
  readers,
});

const ENABLE_RESOLUTION_NONE_TARGET_PORT = declareEnv({
  name: "ENABLE_RESOLUTION_NONE_TARGET_PORT",
  type: "bool",
  default: true,
  doc: "Let targetPort act in ServiceEntries of resolution NONE.",
  readers,
});

const PILOT_DRAINING_LABEL = declareEnv({
  name: "PILOT_DRAINING_LABEL",
  type: "string",
  default: "mesh.io/draining",
  doc: "Label whose endpoints are sent as draining; empty: none.",
  readers,
});

const ENABLE_ENHANCED_DESTINATIONRULE_MERGE = declareEnv({
  name: "ENABLE_ENHANCED_DESTINATIONRULE_MERGE",
  type: "bool",
  default: true,
  doc: "Merge DestinationRules of a host only where their exportTo is equal.",
  readers,
});

const ENABLE_LOCALITY_WEIGHTED_LB_CONFIG = declareEnv({
  name: "ENABLE_LOCALITY_WEIGHTED_LB_CONFIG",
  type: "bool",
  default: false,
  doc: "Weight localities in every cluster, not only where a setting of localities asks for it.",
  readers,
});

const ENABLE_HCM_INTERNAL_NETWORKS = declareEnv({
  name: "ENABLE_HCM_INTERNAL_NETWORKS",
  type: "bool",
  default: false,
  doc: "Take addresses of the mesh networks for internal ones in HTTP listeners.",
  readers,
});

const MESH_ENABLE_IPV4_OUTBOUND_LISTENER_FOR_IPV6_CLUSTERS = declareEnv({
  name: "MESH_ENABLE_IPV4_OUTBOUND_LISTENER_FOR_IPV6_CLUSTERS",
  type: "bool",
  default: false,
  doc: "Catch what is sent to IPv4 addresses where the cluster has IPv6 alone.",
  readers,
});

const PILOT_ENABLE_DOCDB_FILTER = declareEnv({
  name: "PILOT_ENABLE_DOCDB_FILTER",
  type: "bool",
  default: true,
  doc: "Add the filter for the document database's protocol.",
  readers,
});

const PILOT_ENABLE_KVSTORE_FILTER = declareEnv({
  name: "PILOT_ENABLE_KVSTORE_FILTER",
  type: "bool",
  default: false,
  doc: "Add the filter for the key-value store's protocol.",
  readers,
});

const PILOT_ENABLE_EDS_FOR_HEADLESS_SERVICES = declareEnv({
  name: "PILOT_ENABLE_EDS_FOR_HEADLESS_SERVICES",
  type: "bool",
  default: false,
  doc:
    "Have proxies choose among the endpoints of headless services (ServiceEntries of resolution NONE with a workloadSelector and no address) instead of going where the client meant to.",
  readers,
});

const PILOT_ENABLE_PERSISTENT_SESSION_FILTER = declareEnv({
  name: "PILOT_ENABLE_PERSISTENT_SESSION_FILTER",
  type: "bool",
  default: false,
  doc: "Keep sessions at one endpoint for services with one of the two labels below.",
  readers,
});

const PILOT_PERSISTENT_SESSION_LABEL = declareEnv({
  name: "PILOT_PERSISTENT_SESSION_LABEL",
  type: "string",
  default: "mesh.io/persistent-session",
  doc: "Label of services whose sessions are known by a cookie: `name:/path`.",
  readers,
});

const PILOT_PERSISTENT_SESSION_HEADER_LABEL = declareEnv({
  name: "PILOT_PERSISTENT_SESSION_HEADER_LABEL",
  type: "string",
  default: "mesh.io/persistent-session-header",
  doc: "Label of services whose sessions are known by a header, which it names.",
  readers,
});

/** The labels of sessions; read even where the filter is off, so that values are checked. */
function sessionLabels(): Features["sessions"] {
  const cookie = PILOT_PERSISTENT_SESSION_LABEL.get();
  const header = PILOT_PERSISTENT_SESSION_HEADER_LABEL.get();
  return PILOT_ENABLE_PERSISTENT_SESSION_FILTER.get() ? { cookie, header } : undefined;
}

const ENABLE_ENHANCED_RESOURCE_SCOPING = declareEnv({
  name: "ENABLE_ENHANCED_RESOURCE_SCOPING",
  type: "bool",
  default: true,
  doc: "Let `discoverySelectors` of the mesh configuration bound which namespaces' configuration " +
    "is read.",
  readers,
});

const PILOT_ENABLE_QUIC_LISTENERS = declareEnv({
  name: "PILOT_ENABLE_QUIC_LISTENERS",
  type: "bool",
  default: false,
  doc:
    "Listen for QUIC where a gateway terminates TLS and its service has a UDP port of that number.",
  readers,
});

const ENABLE_TLS_ON_SIDECAR_INGRESS = declareEnv({
  name: "ENABLE_TLS_ON_SIDECAR_INGRESS",
  type: "bool",
  default: false,
  doc: "Let the tls part of a Sidecar's ingress listeners act.",
  readers,
});

const PILOT_ALLOW_SIDECAR_SERVICE_INBOUND_LISTENER_MERGE = declareEnv({
  name: "PILOT_ALLOW_SIDECAR_SERVICE_INBOUND_LISTENER_MERGE",
  type: "bool",
  default: false,
  doc: "Let listeners of service ports stand beside those that a Sidecar resource names.",
  readers,
});

const PILOT_FILTER_GATEWAY_CLUSTER_CONFIG = declareEnv({
  name: "PILOT_FILTER_GATEWAY_CLUSTER_CONFIG",
  type: "bool",
  default: false,
  doc: "Send gateways the clusters alone that their routes use.",
  readers,
});

const LABEL_CANONICAL_SERVICES_FOR_MESH_EXTERNAL_SERVICE_ENTRIES = declareEnv({
  name: "LABEL_CANONICAL_SERVICES_FOR_MESH_EXTERNAL_SERVICE_ENTRIES",
  type: "bool",
  default: false,
  doc: "Name the canonical service of endpoints outside the mesh in the metadata of their cluster.",
  readers,
});

const METRIC_ROTATION_INTERVAL = declareEnv({
  name: "METRIC_ROTATION_INTERVAL",
  type: "duration",
  default: 0,
  range: { least: 0 },
  doc:
    "Time after which proxies forget metrics that nothing counted meanwhile; 0: never. The daemon marks them, the agent tells its proxy how long.",
  readers,
});

const PILOT_ENABLE_ALPN_FILTER = declareEnv({
  name: "PILOT_ENABLE_ALPN_FILTER",
  type: "bool",
  default: true,
  doc:
    "Add the filters by which handshakes of mutual TLS say that HTTP was found on a port that declares nothing.",
  readers,
});

const PREFER_DESTINATIONRULE_TLS_FOR_EXTERNAL_SERVICES = declareEnv({
  name: "PREFER_DESTINATIONRULE_TLS_FOR_EXTERNAL_SERVICES",
  type: "bool",
  default: true,
  doc:
    "For services outside the mesh, settings of TLS in a DestinationRule precede those in metadata.",
  readers,
});

/** Reads the switches; throws `MeshError` for a value that cannot be read. */
export function readFeatures(): Features {
  return {
    http10: PILOT_HTTP10.get(),
    tlsOnIngress: ENABLE_TLS_ON_SIDECAR_INGRESS.get(),
    ingressBesideServices: PILOT_ALLOW_SIDECAR_SERVICE_INBOUND_LISTENER_MERGE.get(),
    forgetMetrics: METRIC_ROTATION_INTERVAL.get() > 0,
    tellsFound: PILOT_ENABLE_ALPN_FILTER.get(),
    quicListeners: PILOT_ENABLE_QUIC_LISTENERS.get(),
    scopeGatewayToNamespace: PILOT_SCOPE_GATEWAY_TO_NAMESPACE.get(),
    telemetryLabel: PILOT_ENABLE_TELEMETRY_LABEL.get(),
    traceSampling: PILOT_TRACE_SAMPLING.get(),
    peersTell: PILOT_ENABLE_METADATA_EXCHANGE.get(),
    endpointTelemetryLabel: PILOT_ENDPOINT_TELEMETRY_LABEL.get(),
    excludeUnsafe503: EXCLUDE_UNSAFE_503_FROM_DEFAULT_RETRY.get(),
    enhancedScoping: ENABLE_ENHANCED_RESOURCE_SCOPING.get(),
    inboundRetry: ENABLE_INBOUND_RETRY_POLICY.get(),
    dnsJitterMs: DATAPROXY_DNS_JITTER_DURATION.get(),
    sendUnhealthyEndpoints: PILOT_SEND_UNHEALTHY_ENDPOINTS.get(),
    proxy100Continue: ENABLE_100_CONTINUE_HEADERS.get(),
    autoSni: ENABLE_AUTO_SNI.get(),
    selectorsForApiGateways: ENABLE_SELECTOR_BASED_K8S_GATEWAY_POLICY.get(),
    checkTrustDomain: !PILOT_SKIP_VALIDATE_TRUST_DOMAIN.get(),
    remoteKeys: remoteKeys(),
    vhds: PILOT_ENABLE_VHDS.get(),
    internalNetworks: ENABLE_HCM_INTERNAL_NETWORKS.get(),
    ipv4Outbound: MESH_ENABLE_IPV4_OUTBOUND_LISTENER_FOR_IPV6_CLUSTERS.get(),
    documentFilter: PILOT_ENABLE_DOCDB_FILTER.get(),
    keyValueFilter: PILOT_ENABLE_KVSTORE_FILTER.get(),
    giveAddresses: PILOT_ENABLE_IP_AUTOALLOCATE.get(),
    multiRoot: MESH_MULTIROOT_MESH.get(),
    filterGatewayClusters: PILOT_FILTER_GATEWAY_CLUSTER_CONFIG.get(),
    preferRuleTls: PREFER_DESTINATIONRULE_TLS_FOR_EXTERNAL_SERVICES.get(),
    canonicalOutside: LABEL_CANONICAL_SERVICES_FOR_MESH_EXTERNAL_SERVICE_ENTRIES.get(),
    targetPortOfNone: ENABLE_RESOLUTION_NONE_TARGET_PORT.get(),
    drainingLabel: PILOT_DRAINING_LABEL.get(),
    sessions: sessionLabels(),
    headlessEds: PILOT_ENABLE_EDS_FOR_HEADLESS_SERVICES.get(),
    mergeEqualExports: ENABLE_ENHANCED_DESTINATIONRULE_MERGE.get(),
    weighLocalities: ENABLE_LOCALITY_WEIGHTED_LB_CONFIG.get(),
    sidecarUseRemoteAddress: PILOT_SIDECAR_USE_REMOTE_ADDRESS.get(),
  };
}
