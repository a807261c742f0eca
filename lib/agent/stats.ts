/**
 * Selection of the proxy's metrics, tags of their names, and export settings.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import type { JsonObject } from "../proto/mod.ts";
import type { ProxyConfig } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { withBins } from "./histogram_bins.ts";
import type { Pairs } from "./pod.ts";

/** Input of the statistics part of the bootstrap file. */
export interface StatsInput {
  readonly proxy: ProxyConfig;
  readonly annotations: Pairs;
  /** Addresses that replace `{pod_ip}` in inclusion lists. */
  readonly ips: readonly string[];
  /** True: cluster names in metric names end with `;`. */
  readonly delimited: boolean;
  /** True: connections are counted while draining, so the proxy must keep their gauge. */
  readonly countConnections: boolean;
}

const ANNOTATION = "sidecar.mesh.io/";

/** Prefixes that readiness, drain and the control plane's dashboards need. */
const PREFIXES = [
  "cluster_manager",
  "listener_manager",
  "server",
  "cluster.xds-grpc",
  "wasm",
  "component",
  "mesh",
];
const SUFFIXES = ["rbac.allowed", "rbac.denied", "shadow_allowed", "shadow_denied"];
const REGEXPS = ["vhost\\..*\\.route\\..*"];

/**
 * Tags of upstream metric names: the first capture is removed from the name, the second is the
 * value.
 */
const TAGS: readonly (readonly [name: string, regex: string])[] = [
  [
    "http_conn_manager_prefix",
    "^http\\.(((?:[_.[:digit:]\\w]*|[_\\[\\]aAbBcCdDeEfF[:digit:]\\w\\:]*));\\.)",
  ],
  ["thread_name", "^server(\\.(.+))\\.watchdog"],
  ["tcp_prefix", "^tcp\\.((.*?)\\.)\\w+?$"],
  ["response_code", "_rq(_(\\d{3}))$"],
  ["response_code_class", "_rq(_(\\dxx))$"],
  [
    "http_conn_manager_listener_prefix",
    "^listener(?=\\.).*?\\.http\\.(((?:[_.[:digit:]]*|[_\\[\\]aAbBcCdDeEfF[:digit:]]*))\\.)",
  ],
  ["listener_address", "^listener\\.(((?:[_.[:digit:]]*|[_\\[\\]aAbBcCdDeEfF[:digit:]]*))\\.)"],
  ["mongo_prefix", "^mongo\\.(.+?)\\.(collection|cmd|cx_|op_|delays_|decoding_)(.*?)$"],
];
const EXTENSION_TAGS: typeof TAGS = [
  ["cache", "(cache\\.(.+?)\\.)"],
  ["component", "(component\\.(.+?)\\.)"],
  ["tag", "(tag\\.(.+?);\\.)"],
  ["wasm_filter", "(wasm_filter\\.(.+?)\\.)"],
  ["authz_enforce_result", "rbac(\\.(allowed|denied))"],
  ["authz_dry_run_action", "(\\.mesh_dry_run_(allow|deny)_)"],
  ["authz_dry_run_result", "(\\.shadow_(allowed|denied))"],
];
const CLUSTER_TAG = "^cluster(\\.(.+);)";
const CLUSTER_TAG_BY_DOTS = "^cluster\\.((.+?(\\..+?\\.svc\\.cluster\\.local)?)\\.)";

/**
 * Builds the `stats_config` of the bootstrap file.
 *
 * @throws MeshError `agent-annotation` if the annotation with histogram buckets is invalid
 */
export function statsConfig(input: StatsInput): JsonObject {
  const buckets = withBins(histogramBuckets(input.annotations), input.annotations);
  return {
    use_all_default_tags: false,
    stats_tags: statsTags(input),
    stats_matcher: { inclusion_list: { patterns: inclusions(input) } },
    ...(buckets.length > 0 ? { histogram_bucket_settings: buckets } : {}),
  };
}

function statsTags({ proxy, annotations, delimited }: StatsInput): JsonObject[] {
  const extra = new Set([
    ...proxy.extraStatTags,
    ...list(annotations, "extraStatTags"),
  ]);
  return [
    ["cluster_name", delimited ? CLUSTER_TAG : CLUSTER_TAG_BY_DOTS] as const,
    ...TAGS,
    ...[...extra].map((name) => [name, `(${name}=\\.=(.*?);\\.;)`] as const),
    ...EXTENSION_TAGS,
  ].map(([tag_name, regex]) => ({ tag_name, regex }));
}

function inclusions(input: StatsInput): JsonObject[] {
  const { proxy: { proxyStatsMatcher: matcher }, annotations, ips, countConnections } = input;
  const chosen = (key: string, fallback: readonly string[] = []) => {
    const named = list(annotations, key);
    return (named.length > 0 ? named : fallback).flatMap((pattern) =>
      pattern.includes("{pod_ip}")
        ? [...new Set(ips)].map((ip) => pattern.replaceAll("{pod_ip}", ip))
        : [pattern]
    );
  };
  const prefixes = [
    "reporter=",
    ...chosen("statsInclusionPrefixes", matcher?.inclusionPrefixes),
    ...PREFIXES,
  ];
  const suffixes = [
    ...chosen("statsInclusionSuffixes", matcher?.inclusionSuffixes),
    ...SUFFIXES,
    ...(countConnections ? ["downstream_cx_active"] : []),
  ];
  const regexps = [...chosen("statsInclusionRegexps", matcher?.inclusionRegexps), ...REGEXPS];
  return [
    ...[...new Set(prefixes)].map((prefix) => ({ prefix })),
    ...[...new Set(suffixes)].map((suffix) => ({ suffix })),
    ...[...new Set(regexps)].map((regex) => ({ safe_regex: { regex } })),
  ];
}

function list(annotations: Pairs, key: string): string[] {
  return (annotations[ANNOTATION + key] ?? "").split(",").map((part) => part.trim())
    .filter((part) => part !== "");
}

function histogramBuckets(annotations: Pairs): JsonObject[] {
  const key = `${ANNOTATION}statsHistogramBuckets`;
  const text = annotations[key];
  if (text === undefined) return [];
  const value = jsonOrUndefined(text);
  if (!isBuckets(value)) {
    throw new MeshError("agent-annotation", `the annotation ${key} is not of its form`, {
      remedy: 'Use a JSON object of bounds by metric prefix, such as {"mesh":[1,5,10]}.',
    });
  }
  return Object.keys(value).sort().map((prefix) => ({
    match: { prefix },
    buckets: [...value[prefix] ?? []],
  }));
}

function isBuckets(value: unknown): value is Record<string, number[]> {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    Object.values(value).every((bounds) =>
      Array.isArray(bounds) && bounds.length > 0 &&
      bounds.every((bound) => typeof bound === "number" && bound > 0)
    );
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the compression of the metrics endpoint from an annotation or the configuration. */
export function statsCompression(
  proxy: ProxyConfig,
  annotations: Pairs,
): "brotli" | "gzip" | "zstd" | undefined {
  const named = annotations[`${ANNOTATION}statsCompression`];
  if (named === "brotli" || named === "gzip" || named === "zstd") return named;
  return named === undefined && proxy.statsCompression ? "gzip" : undefined;
}

/** Default interval in seconds at which the proxy flushes its statistics. */
const FLUSH_SECONDS = 5;

/**
 * Returns `stats_flush_interval` and `stats_eviction_interval` as protobuf JSON durations, if
 * annotations or (the latter) the environment set them. The proxy requires the second to be a
 * multiple of the first: the value of the environment is rounded up.
 *
 * @param rotation milliseconds until a metric without a count is dropped; 0: never
 */
export function statsIntervals(
  annotations: Pairs,
  rotation: number,
  seconds: (text: string) => string,
): JsonObject {
  const flush = annotations[`${ANNOTATION}statsFlushInterval`];
  const eviction = annotations[`${ANNOTATION}statsEvictionInterval`];
  return {
    ...(flush ? { stats_flush_interval: seconds(flush) } : {}),
    ...(eviction
      ? { stats_eviction_interval: seconds(eviction) }
      : rotation > 0
      ? { stats_eviction_interval: rounded(rotation, flush ? seconds(flush) : `${FLUSH_SECONDS}s`) }
      : {}),
  };
}

function rounded(millis: number, flush: string): string {
  const step = Math.round(Number.parseFloat(flush) * 1000) || FLUSH_SECONDS * 1000;
  return `${Math.ceil(millis / step) * step / 1000}s`;
}
