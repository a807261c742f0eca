/**
 * Selection of the proxy's metrics, tags of their names, and export settings.
 *
 * @module
 */
import { parseDuration } from "../../kit/base/mod.ts";
import type { JsonObject } from "../../kit/proto/mod.ts";
import { regexFault } from "../../kit/text/mod.ts";
import type { ProxyConfig } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { withBins } from "./histogram_bins.ts";
import type { Pairs } from "./pod.ts";
import { readObject, type Unread } from "./unread.ts";

/** Input of the statistics part of the bootstrap file. */
export interface StatsInput {
  readonly proxy: ProxyConfig;
  readonly annotations: Pairs;
  /** Addresses that replace `{pod_ip}` in inclusion lists. */
  readonly ips: readonly string[];
  /** True: names of clusters and listeners in metric names end with `;`. */
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
/** Names that end with `;`. */
const DELIMITED_TAGS: typeof TAGS = [
  ["cluster_name", "^cluster(\\.(.+);)"],
  [
    "http_conn_manager_prefix",
    "^http\\.(((?:[_.[:digit:]\\w]*|[_\\[\\]aAbBcCdDeEfF[:digit:]\\w\\:]*));\\.)",
  ],
];
/** Names that end where their form ends. */
const TAGS_BY_DOTS: typeof TAGS = [
  ["cluster_name", "^cluster\\.((.+?(\\..+?\\.svc\\.cluster\\.local)?)\\.)"],
  [
    "http_conn_manager_prefix",
    "^http\\.(((?:[_.[:digit:]]*|[_\\[\\]aAbBcCdDeEfF[:digit:]]*))\\.)",
  ],
];

/** Builds the `stats_config` of the bootstrap file. */
export function statsConfig(input: StatsInput, unread: Unread): JsonObject {
  const { annotations } = input;
  const buckets = withBins(histogramBuckets(annotations, unread), annotations, unread);
  return {
    use_all_default_tags: false,
    stats_tags: statsTags(input, unread),
    stats_matcher: { inclusion_list: { patterns: inclusions(input, unread) } },
    ...(buckets.length > 0 ? { histogram_bucket_settings: buckets } : {}),
  };
}

function statsTags(
  { proxy, annotations, delimited }: StatsInput,
  unread: Unread,
): JsonObject[] {
  const expressionOf = (name: string) => `(${name}=\\.=(.*?);\\.;)`;
  const usable = (names: readonly string[], setting: string) =>
    names.filter((name) => isRegex(expressionOf(name), { setting, text: name }, unread));
  const extra = new Set([
    ...usable(proxy.extraStatTags, "extraStatTags"),
    ...usable(list(annotations, "extraStatTags"), `annotation ${ANNOTATION}extraStatTags`),
  ]);
  return [
    ...(delimited ? DELIMITED_TAGS : TAGS_BY_DOTS),
    ...TAGS,
    ...[...extra].map((name) => [name, expressionOf(name)] as const),
    ...EXTENSION_TAGS,
  ].map(([tag_name, regex]) => ({ tag_name, regex }));
}

/** Reports if the proxy can read an expression; with one that it cannot read, it does not start. */
function isRegex(
  regex: string,
  { setting, text }: { readonly setting: string; readonly text: string },
  unread: Unread,
): boolean {
  const fault = regexFault(regex);
  if (fault !== undefined) unread(setting, `${JSON.stringify(text)} cannot be used: ${fault}`);
  return fault === undefined;
}

function inclusions(input: StatsInput, unread: Unread): JsonObject[] {
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
  const setting = `annotation ${ANNOTATION}statsInclusionRegexps`;
  const regexps = [
    ...chosen("statsInclusionRegexps", matcher?.inclusionRegexps)
      .filter((text) => isRegex(text, { setting, text }, unread)),
    ...REGEXPS,
  ];
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

function histogramBuckets(annotations: Pairs, unread: Unread): JsonObject[] {
  const key = `${ANNOTATION}statsHistogramBuckets`;
  const text = annotations[key];
  if (text === undefined) return [];
  const value = readObject(`annotation ${key}`, text, unread);
  if (value === undefined) return [];
  if (!isBuckets(value)) {
    unread(`annotation ${key}`, 'it needs bounds by metric prefix, such as {"mesh":[1,5,10]}');
    return [];
  }
  return Object.keys(value).sort().map((prefix) => ({
    match: { prefix },
    buckets: [...value[prefix] ?? []],
  }));
}

/** The proxy refuses bounds that are not positive or come twice. */
function isBuckets(value: JsonObject): value is Record<string, number[]> {
  return Object.values(value).every((bounds) =>
    Array.isArray(bounds) && bounds.length > 0 && new Set(bounds).size === bounds.length &&
    bounds.every((bound) => typeof bound === "number" && bound > 0)
  );
}

/** Returns the compression of the metrics endpoint from an annotation or the configuration. */
export function statsCompression(
  proxy: ProxyConfig,
  annotations: Pairs,
  unread: Unread,
): "brotli" | "gzip" | "zstd" | undefined {
  const key = `${ANNOTATION}statsCompression`;
  const named = annotations[key];
  if (named === "brotli" || named === "gzip" || named === "zstd") return named;
  if (named) unread(`annotation ${key}`, `${JSON.stringify(named)} is none of brotli, gzip, zstd`);
  return proxy.statsCompression ? "gzip" : undefined;
}

/** Default interval at which the proxy flushes its statistics, ms. */
const FLUSH_MS = 5_000;

/**
 * Returns `stats_flush_interval` and `stats_eviction_interval` as protobuf JSON durations, if
 * annotations or (the latter) the environment set them. The proxy requires the second to be a
 * multiple of the first, so it is rounded up.
 *
 * @param rotation milliseconds until a metric without a count is dropped; 0: never
 */
export function statsIntervals(annotations: Pairs, rotation: number, unread: Unread): JsonObject {
  const flush = interval(annotations, "statsFlushInterval", unread);
  const eviction = interval(annotations, "statsEvictionInterval", unread);
  const step = flush ?? FLUSH_MS;
  const kept = eviction ?? rotation;
  return {
    ...(flush === undefined ? {} : { stats_flush_interval: secondsText(flush) }),
    ...(kept > 0 ? { stats_eviction_interval: secondsText(Math.ceil(kept / step) * step) } : {}),
  };
}

/** Milliseconds of an annotation with a duration such as `30s`. */
function interval(annotations: Pairs, name: string, unread: Unread): number | undefined {
  const key = ANNOTATION + name;
  const text = annotations[key];
  if (!text) return undefined;
  try {
    const ms = parseDuration(text);
    if (ms > 0) return ms;
  } catch { /* Reported like a duration that is not positive. */ }
  unread(`annotation ${key}`, `${JSON.stringify(text)} is no duration such as 10s or 1m`);
  return undefined;
}

/** Converts milliseconds to a protobuf JSON duration: `1.5s`. */
function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(3).replace(/\.?0+$/, "")}s`;
}
