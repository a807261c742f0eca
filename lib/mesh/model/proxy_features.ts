/**
 * Features of Envoy that older versions or smaller builds lack.
 *
 * @module
 */

/** Names of features that generation leaves out for a proxy that lacks them. */
export type OmittedFeature =
  | "metrics"
  | "formatted-tags"
  | "virtual-hosts"
  | "weighed-utilization"
  | PatchValues;

/** Names of features of patches: values of enums that came with one version. */
export type PatchValues = "patch-values-1.37" | "patch-values-1.38" | "patch-values-1.39";

/** Names of fields that an older Envoy ignores. They are sent to every proxy. */
type IgnoredFeature = "retry-budget-interval" | "pool-hash" | "handshake-first";

/** A feature, and the Envoys that have it. */
export interface ProxyFeature {
  readonly name: OmittedFeature | IgnoredFeature;
  /** First version of Envoy with the feature, `[major, minor]`. */
  readonly since: readonly [number, number];
  /** The extension that implements it, as in `node.extensions`. */
  readonly extension?: string;
  /** The field or enum values that carry it. */
  readonly field: string | readonly string[];
  /** The effect of its absence, for the warning. */
  readonly without: string;
  /** True: the proxy ignores the field, so it is sent nevertheless. False: generation omits it. */
  readonly ignored: boolean;
}

/**
 * Extensions and fields that Mesh uses and that the oldest supported Envoy, 1.36, lacks. The
 * versions were measured with `envoy --mode validate` of 1.36.4, 1.37.0, 1.38.3, 1.39.3 and 1.40.0,
 * those of enum values by the descriptors in them.
 */
export const PROXY_FEATURES: readonly ProxyFeature[] = [
  {
    name: "metrics",
    // 1.38 has the logger, but not `stats_scope`, and requires `stat_prefix` in its place.
    since: [1, 39],
    extension: "envoy.access_loggers.stats",
    field: "envoy.extensions.access_loggers.stats.v3.Config.stats_scope",
    without: "the proxy has no metrics of requests and connections with the labels of the mesh",
    ignored: false,
  },
  {
    name: "formatted-tags",
    since: [1, 37],
    field: "envoy.type.tracing.v3.CustomTag.value",
    without: "spans lack the custom tags that have a formatter",
    ignored: false,
  },
  {
    name: "virtual-hosts",
    // Before, Envoy rejects a source other than one with `api_type: DELTA_GRPC`, ADS too.
    since: [1, 37],
    field: "envoy.config.route.v3.Vhds.config_source.ads",
    without: "virtual hosts are sent within their route tables, not as resources of their own",
    ignored: false,
  },
  {
    name: "weighed-utilization",
    since: [1, 37],
    extension: "envoy.load_balancing_policies.wrr_locality",
    field: "envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality",
    without: "endpoints of clusters with weighted localities are not weighted by utilization",
    ignored: false,
  },
  {
    name: "retry-budget-interval",
    since: [1, 39],
    field: "envoy.config.cluster.v3.CircuitBreakers.Thresholds.RetryBudget.budget_interval",
    without: "the interval of retry budgets has no effect",
    ignored: true,
  },
  {
    name: "pool-hash",
    since: [1, 37],
    field: "envoy.extensions.upstreams.http.v3.HttpProtocolOptions.hash_policy",
    without: "the hash policy of a cluster has no effect; those of routes do",
    ignored: true,
  },
  {
    name: "handshake-first",
    since: [1, 37],
    field: "envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy.upstream_connect_mode",
    without: "servers of bytes are connected to before the client's TLS handshake is complete",
    ignored: true,
  },
  patchValues("patch-values-1.37", [1, 37], [
    "envoy.config.accesslog.v3.ComparisonFilter.Op.NE",
    "envoy.extensions.filters.http.ext_proc.v3.ProcessingMode.BodySendMode.GRPC",
  ]),
  patchValues("patch-values-1.38", [1, 38], [
    "envoy.config.cluster.v3.UpstreamConnectionOptions.FirstAddressFamilyVersion.PIPE",
    "envoy.config.cluster.v3.UpstreamConnectionOptions.FirstAddressFamilyVersion.INTERNAL",
    "envoy.config.route.v3.RateLimit.Action.MetaData.Source.CLUSTER_ENTRY",
    "envoy.config.route.v3.RateLimit.Action.MetaData.Source.CLUSTER_LOCALITY_ENTRY",
    "envoy.data.accesslog.v3.AccessLogType.TcpConnectionStart",
    "envoy.extensions.filters.http.oauth2.v3.OAuth2Config.AuthType.TLS_CLIENT_AUTH",
    "envoy.extensions.filters.network.redis_proxy.v3.RedisProxy.ConnPoolSettings.ReadPolicy.LOCAL_ZONE_AFFINITY",
    "envoy.extensions.filters.network.redis_proxy.v3.RedisProxy.ConnPoolSettings.ReadPolicy.LOCAL_ZONE_AFFINITY_REPLICAS_AND_PRIMARY",
  ]),
  patchValues("patch-values-1.39", [1, 39], [
    "envoy.extensions.filters.http.oauth2.v3.OAuth2Config.AuthType.PRIVATE_KEY_JWT",
  ]),
];

/** The feature of enum values that only patches of DataproxyFilters use. */
function patchValues(
  name: PatchValues,
  since: readonly [number, number],
  values: readonly string[],
): ProxyFeature {
  const names = values.map((value) => value.split(".").slice(-2).join("."));
  return {
    name,
    since,
    field: values,
    without: `patches with one of these values are left out for it: ${names.join(", ")}`,
    ignored: false,
  };
}

/** Enum values (`package.Enum.VALUE`) and the feature that they belong to. */
export const PATCH_VALUES: ReadonlyMap<string, PatchValues> = new Map(
  PROXY_FEATURES.flatMap(({ name, field }) =>
    typeof field === "string" ? [] : field.map((value) => [value, name as PatchValues] as const)
  ),
);

/** The properties of a proxy's node that tell its features. */
export interface ProxyBuild {
  /** Names of `node.extensions`; empty: unknown. */
  readonly extensions: ReadonlySet<string>;
  /** `major.minor.patch`; another text: unknown. */
  readonly version: string;
  /** `node.user_agent_name`. */
  readonly userAgent: string;
}

/**
 * Returns the features that a proxy lacks. A feature is missing if the proxy names its extensions
 * and the feature's is not among them, or if its Envoy is older. Unknown builds lack nothing.
 */
export function missingFeatures(build: ProxyBuild): readonly ProxyFeature[] {
  const version = build.userAgent === "envoy" ? versionOf(build.version) : undefined;
  return PROXY_FEATURES.filter(({ extension, since }) =>
    extension !== undefined && build.extensions.size > 0 && !build.extensions.has(extension) ||
    version !== undefined && isBefore(version, since)
  );
}

function versionOf(text: string): readonly [number, number] | undefined {
  const match = /^(\d+)\.(\d+)\./.exec(text);
  return match === null ? undefined : [Number(match[1]), Number(match[2])];
}

function isBefore(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a[0] < b[0] || a[0] === b[0] && a[1] < b[1];
}
