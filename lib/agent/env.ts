/**
 * The environment variables that the agent acts on.
 *
 * @module
 */
import { declareEnv } from "../env/mod.ts";

const readers = ["pilot-agent"] as const;
const PORTS = { least: 1, most: 65_535 };

/** Values of the variables that act; each is documented at its declaration below. */
export interface AgentEnv {
  readonly podName: string | undefined;
  readonly podNamespace: string | undefined;
  readonly instanceIp: string | undefined;
  readonly serviceAccount: string | undefined;
  /** Undefined when it is not set: the daemon then assumes its own. */
  readonly clusterId: string | undefined;
  readonly proxyConfig: string | undefined;
  /** The daemon is asked what ProxyConfigs say. */
  readonly servedConfig: boolean;
  readonly bootstrapTemplate: string | undefined;
  readonly bootstrapOverride: string | undefined;
  readonly cpuLimit: number;
  readonly deltaXds: boolean;
  readonly dualStack: boolean;
  readonly statusPort: number;
  readonly prometheusPort: number;
  readonly disabled: boolean;
  readonly exitOnZeroConnections: boolean;
  /** Milliseconds. */
  readonly minimumDrain: number;
  readonly maxMessageBytes: number;
  /** Bound on what the daemon sends; undefined when the variable is not set: none. */
  readonly maxResponseBytes: number | undefined;
  readonly maxStreams: number;
  /** Milliseconds. */
  readonly keepaliveInterval: number;
  /** Milliseconds. */
  readonly keepaliveTimeout: number;
  readonly metricsLocalOnly: boolean;
  readonly metricsAnnotations: string | undefined;
  readonly deferredStats: boolean;
  readonly deferredClusters: boolean;
  readonly delimitedTags: boolean;
  /** Milliseconds; 0: metrics are kept. */
  readonly metricRotation: number;
  readonly stripFragment: boolean;
  readonly bypassOverload: boolean;
}

const variables = {
  podName: declareEnv({
    name: "POD_NAME",
    type: "string",
    doc: "Name of the own pod; the host name when it is not set.",
    readers,
  }),
  podNamespace: declareEnv({
    name: "POD_NAMESPACE",
    type: "string",
    doc:
      "Namespace of the own pod; without it the agent takes `default`, and the daemon what its " +
      "flags say.",
    readers,
  }),
  instanceIp: declareEnv({
    name: "INSTANCE_IP",
    type: "string",
    doc: "First address of the workload; found at the network interfaces when it is not set.",
    readers,
  }),
  serviceAccount: declareEnv({
    name: "SERVICE_ACCOUNT",
    type: "string",
    doc: "Name of the workload's service account.",
    readers,
  }),
  clusterId: declareEnv({
    name: "CLUSTER_ID",
    type: "string",
    default: "Orchestrator",
    doc: "Cluster and service registry this program belongs to.",
    readers,
  }),
  proxyConfig: declareEnv({
    name: "PROXY_CONFIG",
    type: "string",
    doc: "Proxy configuration as YAML or JSON, laid over the mesh configuration's defaultConfig.",
    readers,
  }),
  servedConfig: declareEnv({
    name: "PROXY_CONFIG_XDS_AGENT",
    type: "bool",
    default: false,
    doc: "Ask the daemon, before the proxy is started, for the workers and variables that " +
      "ProxyConfigs give it.",
    readers,
  }),
  bootstrapTemplate: declareEnv({
    name: "MESH_BOOTSTRAP",
    type: "string",
    doc: "Bootstrap template that replaces every other way of naming one.",
    readers,
  }),
  bootstrapOverride: declareEnv({
    name: "MESH_BOOTSTRAP_OVERRIDE",
    type: "string",
    doc: "File whose content the proxy merges over its bootstrap file.",
    readers,
  }),
  cpuLimit: declareEnv({
    name: "MESH_CPU_LIMIT",
    type: "int",
    default: 0,
    range: { least: 0 },
    doc: "CPU limit of the process in whole CPUs; the number of workers when nothing else says.",
    readers,
  }),
  deltaXds: declareEnv({
    name: "MESH_DELTA_XDS",
    type: "bool",
    default: true,
    doc: "The proxy asks for its configuration by delta xDS.",
    readers,
  }),
  dualStack: declareEnv({
    name: "MESH_DUAL_STACK",
    type: "bool",
    default: false,
    doc: "Support workloads with IPv4 and IPv6 addresses.",
    readers,
  }),
  statusPort: declareEnv({
    name: "DATAPROXY_STATUS_PORT",
    type: "int",
    default: 15021,
    range: PORTS,
    doc: "Port of the proxy's health endpoint.",
    readers,
  }),
  prometheusPort: declareEnv({
    name: "DATAPROXY_PROMETHEUS_PORT",
    type: "int",
    default: 15090,
    range: PORTS,
    doc: "Port of the proxy's metrics endpoint.",
    readers,
  }),
  disabled: declareEnv({
    name: "DISABLE_DATAPROXY",
    type: "bool",
    default: false,
    doc: "Run without a data-plane proxy.",
    readers,
  }),
  exitOnZeroConnections: declareEnv({
    name: "EXIT_ON_ZERO_ACTIVE_CONNECTIONS",
    type: "bool",
    default: false,
    doc: "While draining, end the proxy when it has no connection left.",
    readers,
  }),
  minimumDrain: declareEnv({
    name: "MINIMUM_DRAIN_DURATION",
    type: "duration",
    default: "5s",
    range: { least: 0 },
    doc: "Wait before connections are counted while draining.",
    readers,
  }),
  maxMessageBytes: declareEnv({
    name: "MESH_GPRC_MAXRECVMSGSIZE",
    type: "int",
    default: 4194304,
    range: { least: 1 },
    doc:
      "Largest message taken over gRPC, in bytes; when it is not set, the agent takes messages " +
      "of the daemon of any size.",
    readers,
  }),
  maxStreams: declareEnv({
    name: "MESH_GPRC_MAXSTREAMS",
    type: "int",
    default: 100000,
    range: { least: 1 },
    doc: "Most streams at the same time on one gRPC connection.",
    readers,
  }),
  keepaliveInterval: declareEnv({
    name: "GRPC_KEEPALIVE_INTERVAL",
    type: "duration",
    default: "30s",
    range: { least: 1 },
    doc: "Time without activity on a gRPC connection after which the peer is pinged.",
    readers,
  }),
  keepaliveTimeout: declareEnv({
    name: "GRPC_KEEPALIVE_TIMEOUT",
    type: "duration",
    default: "10s",
    range: { least: 1 },
    doc: "Wait for the answer to a ping before a gRPC connection is closed.",
    readers,
  }),
  metricsLocalOnly: declareEnv({
    name: "METRICS_LOCALHOST_ACCESS_ONLY",
    type: "bool",
    default: false,
    doc: "Answer requests for metrics from this machine only.",
    readers,
  }),
  metricsAnnotations: declareEnv({
    name: "MESH_METRICS_ANNOTATIONS",
    type: "string",
    doc: "JSON that says where the application serves metrics: scrape, path, port.",
    readers,
  }),
  deferredStats: declareEnv({
    name: "ENABLE_DEFERRED_STATS_CREATION",
    type: "bool",
    default: true,
    doc: "The proxy creates a part of its metrics when they are first used.",
    readers,
  }),
  deferredClusters: declareEnv({
    name: "ENABLE_DEFERRED_CLUSTER_CREATION",
    type: "bool",
    default: true,
    doc: "The proxy's workers create a cluster when it is first used.",
    readers,
  }),
  delimitedTags: declareEnv({
    name: "ENABLE_DELIMITED_STATS_TAG_REGEX",
    type: "bool",
    default: true,
    doc: "Tags are cut out of the names of the proxy's metrics at the delimiter `;`.",
    readers,
  }),
  metricRotation: declareEnv({
    name: "METRIC_ROTATION_INTERVAL",
    type: "duration",
    default: 0,
    range: { least: 0 },
    doc:
      "Time after which proxies forget metrics that nothing counted meanwhile; 0: never. The daemon marks them, the agent tells its proxy how long.",
    readers,
  }),
  stripFragment: declareEnv({
    name: "HTTP_STRIP_FRAGMENT_FROM_PATH_UNSAFE_IF_DISABLED",
    type: "bool",
    default: true,
    doc:
      "The proxy cuts the fragment off the path before rules look at it; otherwise it refuses such requests, for it knows no other way.",
    readers,
  }),
  bypassOverload: declareEnv({
    name: "BYPASS_OVERLOAD_MANAGER_FOR_STATIC_LISTENERS",
    type: "bool",
    default: true,
    doc: "The overload manager leaves the health and metrics listeners alone.",
    readers,
  }),
};

declareEnv({
  name: "MESH_META_CLUSTER_ID",
  type: "string",
  doc: "Cluster that the proxy says it is in; like all variables that begin with MESH_META_, it " +
    "goes into the metadata of the proxy's node, where it is read by its prefix.",
  readers,
});

/**
 * Reads every variable that acts by its name.
 *
 * @throws MeshError `env-invalid` for the first that is not of its type
 */
export function readEnv(): AgentEnv {
  const v = variables;
  return {
    podName: v.podName.get(),
    podNamespace: v.podNamespace.get(),
    instanceIp: v.instanceIp.get(),
    serviceAccount: v.serviceAccount.get(),
    clusterId: v.clusterId.isSet() ? v.clusterId.get() : undefined,
    proxyConfig: v.proxyConfig.get(),
    servedConfig: v.servedConfig.get(),
    bootstrapTemplate: v.bootstrapTemplate.get(),
    bootstrapOverride: v.bootstrapOverride.get(),
    cpuLimit: v.cpuLimit.get(),
    deltaXds: v.deltaXds.get(),
    dualStack: v.dualStack.get(),
    statusPort: v.statusPort.get(),
    prometheusPort: v.prometheusPort.get(),
    disabled: v.disabled.get(),
    exitOnZeroConnections: v.exitOnZeroConnections.get(),
    minimumDrain: v.minimumDrain.get(),
    maxMessageBytes: v.maxMessageBytes.get(),
    maxResponseBytes: v.maxMessageBytes.isSet() ? v.maxMessageBytes.get() : undefined,
    maxStreams: v.maxStreams.get(),
    keepaliveInterval: v.keepaliveInterval.get(),
    keepaliveTimeout: v.keepaliveTimeout.get(),
    metricsLocalOnly: v.metricsLocalOnly.get(),
    metricsAnnotations: v.metricsAnnotations.get(),
    deferredStats: v.deferredStats.get(),
    deferredClusters: v.deferredClusters.get(),
    delimitedTags: v.delimitedTags.get(),
    metricRotation: v.metricRotation.get(),
    stripFragment: v.stripFragment.get(),
    bypassOverload: v.bypassOverload.get(),
  };
}
