/**
 * The bootstrap file of the proxy: its configuration before it receives any over xDS.
 *
 * @module
 */
import type { JsonObject, JsonValue } from "../../kit/proto/mod.ts";
import type { ProxyConfig } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import type { BootstrapNode } from "./node.ts";
import type { Pairs } from "./pod.ts";
import { type AgentPorts, staticResources } from "./static_resources.ts";
import { statsCompression, statsConfig, statsIntervals } from "./stats.ts";
import { loopbackOf } from "./families.ts";
import { type Surroundings, telemetryOf } from "./telemetry.ts";
import { readObject, type Unread } from "./unread.ts";

/** Input of the bootstrap file. */
export interface BootstrapInput {
  readonly node: BootstrapNode;
  readonly proxy: ProxyConfig;
  readonly annotations: Pairs;
  /** Addresses of the workload. */
  readonly ips: readonly string[];
  readonly surroundings: Surroundings;
  readonly loopbackOnly: boolean;
  /** True: only this machine may read the proxy's metrics. */
  readonly metricsLocalOnly: boolean;
  readonly ports: AgentPorts;
  readonly xdsSocket: string;
  /** Socket of the workload's secrets; undefined: there is none. */
  readonly sdsSocket?: string;
  /** Socket of another program that serves secrets; undefined: there is none. */
  readonly externalSocket?: string | undefined;
  /** True: the proxy uses delta xDS. */
  readonly delta: boolean;
  readonly outlierLogPath: string;
  readonly logAsJson: boolean;
  readonly delimitedTags: boolean;
  readonly deferredStats: boolean;
  readonly deferredClusters: boolean;
  /** Milliseconds until a metric without a count is dropped; 0: never. */
  readonly metricRotation: number;
  /** True: fragments are removed from paths; false: requests with a fragment are rejected. */
  readonly stripFragment: boolean;
  readonly bypassOverload: boolean;
  readonly exitOnZeroConnections: boolean;
  /** True: the policy FIPS 140-2 applies. */
  readonly fips: boolean;
  /** JSON of the proxy's load reporting (`MESH_META_LOAD_STATS_CONFIG_JSON`); undefined: none. */
  readonly loadStats: string | undefined;
}

/** The variable of {@link BootstrapInput.loadStats}. */
export const LOAD_STATS = "MESH_META_LOAD_STATS_CONFIG_JSON";

/** Path of the profile that the admin API writes. */
const PROFILE_PATH = "/var/lib/mesh/data/dataproxy.prof";
/** The largest value of the field: no limit. */
const UNBOUNDED_CONNECTIONS = 2147483647;
/**
 * Largest program size of a regular expression that the proxy accepts; Mesh checks expressions
 * before it sends them.
 */
const REGEX_PROGRAM_LIMIT = 32768;
const INTERNAL_BUFFER_KB = 64;
const LOG_FORMAT = "%Y-%m-%dT%T.%fZ\t%l\tenvoy %n %g:%#\t%v\tthread=%t";
const LOG_JSON: JsonObject = {
  time: "%Y-%m-%dT%T.%fZ",
  level: "%l",
  scope: "envoy %n",
  msg: "%j",
  caller: "%g:%#",
  thread: "%t",
};

/**
 * Builds the bootstrap file in the JSON form of protobuf.
 *
 * @param unread is told which settings of the pod were left out
 * @throws MeshError `agent-address` for invalid settings
 */
export function bootstrapOf(input: BootstrapInput, unread: Unread): JsonObject {
  const { node, proxy, annotations } = input;
  const telemetry = telemetryOf(proxy, node.cluster, input.surroundings);
  return {
    application_log_config: {
      log_format: input.logAsJson ? { json_format: LOG_JSON } : { text_format: LOG_FORMAT },
    },
    node: { ...node },
    layered_runtime: layeredRuntime(input),
    bootstrap_extensions: [internalListener()],
    stats_config: statsConfig({
      proxy,
      annotations,
      ips: input.ips,
      delimited: input.delimitedTags,
      countConnections: input.exitOnZeroConnections,
    }, unread),
    ...statsIntervals(annotations, input.metricRotation, unread),
    overload_manager: overloadManager(proxy, unread),
    admin: admin(input),
    dynamic_resources: dynamicResources(input.delta),
    static_resources: staticResources({
      ports: input.ports,
      xdsSocket: input.xdsSocket,
      sdsSocket: input.sdsSocket,
      externalSocket: input.externalSocket,
      families: input.surroundings.families,
      loopbackOnly: input.loopbackOnly,
      metricsLocalOnly: input.metricsLocalOnly,
      bypassOverload: input.bypassOverload,
      compression: statsCompression(proxy, annotations, unread),
      clusters: telemetry.clusters,
    }),
    ...(telemetry.tracing ? { tracing: telemetry.tracing } : {}),
    ...(telemetry.sinks.length > 0 ? { stats_sinks: [...telemetry.sinks] } : {}),
    ...clusterManager(input, unread),
    ...(input.deferredStats
      ? { deferred_stat_options: { enable_deferred_creation_stats: true } }
      : {}),
  };
}

/**
 * Runtime values of the configuration override the agent's, and empty ones remove them; values set
 * in the admin API override both.
 */
function layeredRuntime({ proxy, stripFragment, fips }: BootstrapInput): JsonObject {
  const values: JsonObject = {
    "envoy.reloadable_features.http_reject_path_with_fragment": !stripFragment,
    "re2.max_program_size.error_level": String(REGEX_PROGRAM_LIMIT),
    ...(fips ? { "envoy.reloadable_features.google_grpc_disable_tls_13": true } : {}),
  };
  for (const [key, text] of Object.entries(proxy.runtimeValues)) {
    if (text === "") delete values[key];
    else if (key !== CONNECTION_LIMIT) values[key] = runtimeValue(text);
  }
  return {
    layers: [
      { name: "global config", static_layer: values },
      { name: "admin", admin_layer: {} },
    ],
  };
}

/** Feature flags must be booleans, not strings, otherwise the proxy does not start. */
function runtimeValue(text: string): JsonValue {
  return text === "true" ? true : text === "false" ? false : text;
}

function internalListener(): JsonObject {
  return {
    name: "envoy.bootstrap.internal_listener",
    typed_config: {
      "@type": "type.googleapis.com/udpa.type.v1.TypedStruct",
      type_url:
        "type.googleapis.com/envoy.extensions.bootstrap.internal_listener.v3.InternalListener",
      value: { buffer_size_kb: INTERNAL_BUFFER_KB },
    },
  };
}

/**
 * The runtime value that limits connections. The proxy ignores it beside the overload manager, which
 * has its number instead.
 */
const CONNECTION_LIMIT = "overload.global_downstream_max_connections";

/**
 * The proxy requires a limit even if none is configured. Its health and metrics listeners are not
 * counted.
 */
function overloadManager(proxy: ProxyConfig, unread: Unread): JsonObject {
  const limit = proxy.connectionSettings?.globalDownstreamConnectionLimit ??
    runtimeLimit(proxy.runtimeValues[CONNECTION_LIMIT], unread) ?? UNBOUNDED_CONNECTIONS;
  const type =
    "envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig";
  return {
    resource_monitors: [{
      name: "envoy.resource_monitors.global_downstream_max_connections",
      typed_config: {
        "@type": `type.googleapis.com/${type}`,
        max_active_downstream_connections: limit,
      },
    }],
  };
}

function runtimeLimit(text: string | undefined, unread: Unread): string | undefined {
  if (text === undefined || text === "") return undefined;
  if (/^[1-9]\d{0,17}$/.test(text)) return text;
  unread(
    `runtimeValues[${CONNECTION_LIMIT}]`,
    `${JSON.stringify(text)} is no number of connections`,
  );
  return undefined;
}

function admin({ ports, surroundings }: BootstrapInput): JsonObject {
  const address = loopbackOf(surroundings.families.first);
  const file = "type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog";
  return {
    access_log: [{
      name: "envoy.access_loggers.file",
      typed_config: { "@type": file, path: "/dev/null" },
    }],
    profile_path: PROFILE_PATH,
    address: { socket_address: { address, port_value: ports.admin } },
  };
}

/**
 * Without a timeout for the first fetch, the proxy waits for the daemon and is not ready before.
 */
function dynamicResources(delta: boolean): JsonObject {
  const source = { ads: {}, initial_fetch_timeout: "0s", resource_api_version: "V3" };
  return {
    lds_config: source,
    cds_config: source,
    ads_config: {
      api_type: delta ? "DELTA_GRPC" : "GRPC",
      set_node_on_first_message_only: true,
      transport_api_version: "V3",
      grpc_services: [{ envoy_grpc: { cluster_name: "xds-grpc" } }],
    },
  };
}

function clusterManager(
  { outlierLogPath, deferredClusters, loadStats }: BootstrapInput,
  unread: Unread,
): JsonObject {
  const reporting = loadStats ? readObject(LOAD_STATS, loadStats, unread) : undefined;
  const value: JsonObject = {
    ...(outlierLogPath ? { outlier_detection: { event_log_path: outlierLogPath } } : {}),
    ...(reporting ? { load_stats_config: reporting } : {}),
    ...(deferredClusters ? { enable_deferred_cluster_creation: true } : {}),
  };
  return Object.keys(value).length === 0 ? {} : { cluster_manager: value };
}
