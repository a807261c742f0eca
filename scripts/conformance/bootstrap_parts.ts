/**
 * The parts of bootstrap files that are compared. What Mesh makes in its own way is made equal here,
 * each with its reason.
 *
 * @module
 */
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { canonicalJson } from "../../lib/kit/base/mod.ts";
import { type JsonObject, type JsonValue, toJson } from "../../lib/kit/proto/mod.ts";
import { defaultProxyConfig } from "../../lib/mesh/schema/mod.ts";

/** Options of the comparison. */
export interface PartOptions {
  /** True: the locality and the cluster of the node are compared, too. */
  readonly locality: boolean;
}

/** Tracers that upstream Envoy does not have (any more); it refuses files with them. */
const NO_TRACERS = new Set(["envoy.tracers.lightstep", "envoy.tracers.opencensus"]);
/** Clusters of those tracers. */
const NO_CLUSTERS = new Set(["lightstep"]);
/**
 * Metadata that a call of the reference's library, and not an agent, sets or leaves out; the version
 * of the program; the folder and the template of the test.
 */
const OWN_METADATA = /^(PILOT_SAN|NAME|NAMESPACE|POD_NAME|MESH_VERSION|AGENT_\w+)$/;
const OWN_CONFIG = ["configPath", "customConfigFile", "controlPlaneAuthPolicy"];
/** Names that Mesh gives otherwise. */
const RENAMED: Readonly<Record<string, string>> = {
  envoy_accesslog_service: "dataproxy_accesslog_service",
  "envoy_accesslog_service;": "dataproxy_accesslog_service;",
  "/var/lib/mesh/data/envoy.prof": "/var/lib/mesh/data/dataproxy.prof",
};
/** The flag of a field of listeners that Mesh does not send. */
const ORIGINAL_DST = /hidden_envoy_deprecated_use_original_dst$/;
/** The limit of connections as runtime value; Mesh has the resource monitor that replaced it. */
const LIMIT = "overload.global_downstream_max_connections";

/** The parts of a file that are compared with those of the other file. */
export function comparable(file: JsonObject, other: JsonObject, options: PartOptions): JsonObject {
  const { node, layered_runtime, overload_manager, static_resources, tracing, ...rest } = renamed(
    file,
  ) as Record<string, JsonObject>;
  const kept = usable(tracing);
  return {
    ...rest,
    admin: rest.admin ?? null,
    stats_config: statistics(rest.stats_config ?? {}),
    stats_sinks: withoutProtocol((rest.stats_sinks ?? []) as unknown as JsonValue),
    node: nodeOf(node ?? {}, configOf(other.node as JsonObject), options),
    runtime: runtimeOf(layered_runtime ?? {}, overload_manager),
    clusters: clustersOf(static_resources ?? {}, clusterNames(other)),
    listeners: static_resources?.listeners ?? null,
    tracing: kept === undefined ? null : maskService(kept, String(node?.cluster)),
  };
}

function renamed(value: JsonValue): JsonValue {
  if (typeof value === "string") return RENAMED[value] ?? value;
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, renamed(one)]));
}

function usable(tracing: JsonObject | undefined): JsonObject | undefined {
  const name = (tracing?.http as JsonObject | undefined)?.name;
  return typeof name === "string" && NO_TRACERS.has(name) ? undefined : tracing;
}

/** A library call knows no namespace, which is part of the node's cluster. */
function maskService(tracing: JsonObject, cluster: string): JsonValue {
  return JSON.parse(
    JSON.stringify(tracing),
    (key, value) => key === "service_name" && value === cluster ? "the cluster" : value,
  );
}

function configOf({ metadata }: JsonObject): JsonObject {
  return (metadata as JsonObject).PROXY_CONFIG as JsonObject;
}

const DEFAULTS = toJson(ProxyConfigSchema, defaultProxyConfig()) as JsonObject;

/** An agent fills in defaults, a call of the reference's library does not. */
function isFilledIn(key: string, value: JsonValue, other: JsonObject): boolean {
  return !(key in other) && canonicalJson(value) === canonicalJson(DEFAULTS[key] ?? null);
}

function nodeOf(node: JsonObject, other: JsonObject, options: PartOptions): JsonObject {
  const { cluster, locality, metadata } = node;
  const { PROXY_CONFIG: _, ...rest } = metadata as JsonObject;
  const proxy = Object.entries(configOf(node)).filter(([key, value]) =>
    !OWN_CONFIG.includes(key) && !isFilledIn(key, value, other)
  );
  return {
    metadata: Object.fromEntries(Object.entries(rest).filter(([key]) => !OWN_METADATA.test(key))),
    proxy: withoutToken(Object.fromEntries(proxy)),
    ...(options.locality ? { cluster: cluster ?? null, locality: locality ?? null } : {}),
  };
}

/** Mesh does not send the one field that is a secret. */
function withoutToken(config: JsonObject): JsonValue {
  return JSON.parse(JSON.stringify(config), (key, value) => key === "accessToken" ? null : value);
}

function runtimeOf({ layers }: JsonObject, overload: JsonObject | undefined): JsonObject {
  const [first, ...others] = layers as JsonObject[];
  const { [LIMIT]: limit = null, ...values } = first?.static_layer as JsonObject;
  const [monitor] = (overload?.resource_monitors ?? []) as JsonObject[];
  const typed = monitor?.typed_config as JsonObject | undefined;
  const flags = Object.entries(values).filter(([key]) => !ORIGINAL_DST.test(key));
  return {
    values: Object.fromEntries(flags),
    others,
    limit: String(typed?.max_active_downstream_connections ?? limit),
  };
}

/** Tags and patterns are sets. */
function statistics(config: JsonObject): JsonObject {
  const { inclusion_list } = (config.stats_matcher ?? {}) as Record<string, JsonObject>;
  return {
    ...config,
    stats_tags: asSet(config.stats_tags),
    stats_matcher: asSet(inclusion_list?.patterns),
    histogram_bucket_settings: asSet(config.histogram_bucket_settings),
  };
}

function asSet(items: JsonValue | undefined): string[] {
  const sorted = (item: JsonValue) =>
    JSON.stringify(Object.fromEntries(Object.entries(item as JsonObject).sort()));
  return ((items ?? []) as JsonValue[]).map(sorted).sort();
}

/** The proxy does not read the protocol of a sink's address. */
function withoutProtocol(sinks: JsonValue): JsonValue {
  return JSON.parse(
    JSON.stringify(sinks),
    (key, value) => key === "protocol" ? undefined : value,
  );
}

function clusterNames({ static_resources }: JsonObject): ReadonlySet<string> {
  const { clusters = [] } = (static_resources ?? {}) as Record<string, JsonObject[]>;
  return new Set(clusters.map(({ name }) => String(name)));
}

function clustersOf(
  { clusters }: JsonObject,
  others: ReadonlySet<string>,
): Record<string, JsonValue> {
  const out: Record<string, JsonValue> = {};
  for (const cluster of (clusters ?? []) as JsonObject[]) {
    const name = String(cluster.name);
    // Without a certificate the agent serves no secrets.
    if (NO_CLUSTERS.has(name) || (name === "sds-grpc" && !others.has(name))) continue;
    const { transport_socket, ...rest } = cluster;
    // Paths lie below folders of the test; Mesh sets the windows of HTTP/2.
    const masked = JSON.parse(
      JSON.stringify(rest),
      (key, value) => key === "http2_protocol_options" ? {} : key === "path" ? "masked" : value,
    );
    out[name] = transport_socket === undefined
      ? masked
      : { ...masked, tls: tlsOf(transport_socket as JsonObject) };
  }
  return out;
}

/** TLS of a cluster by its files: the reference gets them by secrets whose names are the paths. */
function tlsOf({ typed_config }: JsonObject): JsonObject {
  const { common_tls_context: common, sni = null } = typed_config as Record<string, JsonObject>;
  const text = JSON.stringify(common);
  const root = /"file-root:([^"]*)"/.exec(text)?.[1] ??
    /"trusted_ca":\{"filename":"([^"]*)"/.exec(text)?.[1];
  const [, chain, key] = /"file-cert:([^"~]*)~([^"]*)"/.exec(text) ??
    /"certificate_chain":\{"filename":"([^"]*)"\},"private_key":\{"filename":"([^"]*)"/.exec(
      text,
    ) ??
    [];
  return {
    sni: sni as JsonValue,
    alpn: common?.alpn_protocols ?? null,
    root: root ?? null,
    chain: chain ?? null,
    key: key ?? null,
    names: [...new Set([...text.matchAll(/"exact":"([^"]*)"/g)].map((match) => match[1] ?? ""))],
  };
}
