/**
 * The bootstrap file of the proxy: its configuration before it receives any over xDS.
 *
 * @module
 */
import { formatDuration, MeshError, parseDuration } from "../base/mod.ts";
import type { JsonObject, JsonValue } from "../proto/mod.ts";
import type { ProxyConfig } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import type { BootstrapNode } from "./node.ts";
import type { Pairs } from "./pod.ts";
import { type AgentPorts, staticResources } from "./static_resources.ts";
import { statsCompression, statsConfig, statsIntervals } from "./stats.ts";
import { telemetryOf } from "./telemetry.ts";

/** Input of the bootstrap file. */
export interface BootstrapInput {
  readonly node: BootstrapNode;
  readonly proxy: ProxyConfig;
  readonly annotations: Pairs;
  /** Addresses of the workload. */
  readonly ips: readonly string[];
  readonly ipv6Only: boolean;
  readonly dualStack: boolean;
  readonly loopbackOnly: boolean;
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
}

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
 * @throws MeshError `agent-address`, `agent-annotation` for invalid settings
 */
export function bootstrapOf(input: BootstrapInput): JsonObject {
  const { node, proxy, annotations } = input;
  const telemetry = telemetryOf(proxy, node.cluster);
  return {
    application_log_config: {
      log_format: input.logAsJson ? { json_format: LOG_JSON } : { text_format: LOG_FORMAT },
    },
    node: { ...node },
    layered_runtime: layeredRuntime(proxy, input.stripFragment),
    bootstrap_extensions: [internalListener()],
    stats_config: statsConfig({
      proxy,
      annotations,
      ips: input.ips,
      delimited: input.delimitedTags,
      countConnections: input.exitOnZeroConnections,
    }),
    ...statsIntervals(annotations, input.metricRotation, annotationSeconds),
    overload_manager: overloadManager(proxy),
    admin: admin(input),
    dynamic_resources: dynamicResources(input.delta),
    static_resources: staticResources({
      ports: input.ports,
      xdsSocket: input.xdsSocket,
      sdsSocket: input.sdsSocket,
      externalSocket: input.externalSocket,
      ipv6Only: input.ipv6Only,
      dualStack: input.dualStack,
      loopbackOnly: input.loopbackOnly,
      bypassOverload: input.bypassOverload,
      compression: statsCompression(proxy, annotations),
      clusters: telemetry.clusters,
    }),
    ...(telemetry.tracing ? { tracing: telemetry.tracing } : {}),
    ...(telemetry.sinks.length > 0 ? { stats_sinks: [...telemetry.sinks] } : {}),
    ...clusterManager(input),
    ...(input.deferredStats
      ? { deferred_stat_options: { enable_deferred_creation_stats: true } }
      : {}),
  };
}

/**
 * Runtime values of the configuration override the agent's; values set in the admin API override
 * both.
 */
function layeredRuntime(proxy: ProxyConfig, stripFragment: boolean): JsonObject {
  const values: JsonObject = {
    "envoy.reloadable_features.http_reject_path_with_fragment": !stripFragment,
    "re2.max_program_size.error_level": String(REGEX_PROGRAM_LIMIT),
  };
  for (const [key, text] of Object.entries(proxy.runtimeValues)) values[key] = runtimeValue(text);
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
 * The proxy requires a limit even if none is configured. Its health and metrics listeners are not
 * counted.
 */
function overloadManager(proxy: ProxyConfig): JsonObject {
  const limit = proxy.connectionSettings?.globalDownstreamConnectionLimit ?? UNBOUNDED_CONNECTIONS;
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

function admin({ ports, ipv6Only }: BootstrapInput): JsonObject {
  const address = ipv6Only ? "::1" : "127.0.0.1";
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

function clusterManager({ outlierLogPath, deferredClusters }: BootstrapInput): JsonObject {
  const value: JsonObject = {
    ...(outlierLogPath ? { outlier_detection: { event_log_path: outlierLogPath } } : {}),
    ...(deferredClusters ? { enable_deferred_cluster_creation: true } : {}),
  };
  return Object.keys(value).length === 0 ? {} : { cluster_manager: value };
}

/** Converts a duration such as `30s` or `1m` of an annotation to a protobuf JSON duration. */
function annotationSeconds(text: string): string {
  try {
    return secondsText(parseDuration(text));
  } catch (cause) {
    throw new MeshError("agent-annotation", `${JSON.stringify(text)} is not a duration`, {
      remedy: `Write it like ${formatDuration(10_000)} or 1m.`,
      cause,
    });
  }
}

/** Converts milliseconds to a protobuf JSON duration: `1.5s`. */
function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(3).replace(/\.?0+$/, "")}s`;
}
