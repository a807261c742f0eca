/**
 * Merges the Telemetry resources of a workload for one side of its proxy.
 *
 * @module
 */
import {
  type AccessLogging,
  type Metrics,
  MetricSelector_MeshMetric as MeshMetric,
  type MetricsOverrides,
  MetricsOverrides_TagOverride_Operation as TagOperation,
  type Telemetry,
  type Tracing,
  type Tracing_CustomTag as CustomTag,
  WorkloadMode,
} from "#mesh/telemetry/v1alpha1/telemetry_pb.ts";

/** Outbound (client) or inbound (server) traffic. */
export type Direction = "client" | "server";

/** A log destination. */
export interface LogRule {
  readonly provider: string;
  /** CEL expression; only matching entries are logged. */
  readonly filter?: string;
}

/** Changes of a metric's labels: an expression, or `undefined` for a removed label. */
export type TagChanges = ReadonlyMap<string, string | undefined>;

/** Settings of one metric. */
export interface MetricRule {
  readonly disabled: boolean;
  readonly tags: TagChanges;
}

/** Tracing settings; `undefined` fields are not configured. */
export interface TracingRule {
  readonly provider?: string;
  readonly sampling?: number;
  readonly disabled?: boolean;
  readonly tags?: Readonly<Record<string, CustomTag>>;
  readonly byRequestId?: boolean;
  readonly meshTags?: boolean;
  /** True: the trace context is not propagated to the server. */
  readonly noPropagation?: boolean;
}

/** The mesh configuration's default providers. */
export interface DefaultProviders {
  readonly logs: readonly string[];
  readonly metrics: readonly string[];
  readonly tracing: readonly string[];
}

/** Metrics by their names in configuration. */
export const METRICS = {
  REQUEST_COUNT: "requests_total",
  REQUEST_DURATION: "request_duration_milliseconds",
  REQUEST_SIZE: "request_bytes",
  RESPONSE_SIZE: "response_bytes",
  TCP_OPENED_CONNECTIONS: "tcp_connections_opened_total",
  TCP_CLOSED_CONNECTIONS: "tcp_connections_closed_total",
  TCP_SENT_BYTES: "tcp_sent_bytes_total",
  TCP_RECEIVED_BYTES: "tcp_received_bytes_total",
  GRPC_REQUEST_MESSAGES: "request_messages_total",
  GRPC_RESPONSE_MESSAGES: "response_messages_total",
} as const;

/** Name of a metric after the prefix `mesh_`. */
export type MetricName = typeof METRICS[keyof typeof METRICS];

function applies(mode: WorkloadMode | undefined, direction: Direction): boolean {
  if (mode === WorkloadMode.CLIENT) return direction === "client";
  return mode !== WorkloadMode.SERVER || direction === "server";
}

/**
 * Returns the log destinations. A level that names providers replaces those of previous levels; a
 * level without providers changes the inherited ones.
 *
 * @param levels the least specific first
 */
export function logRules(
  levels: readonly Telemetry[],
  direction: Direction,
  defaults: DefaultProviders,
): readonly LogRule[] {
  let names = defaults.logs;
  let rules = new Map<string, LogRule>(names.map((provider) => [provider, { provider }]));
  for (const { accessLogging } of levels) {
    const mine = accessLogging.filter(({ match }) => applies(match?.mode, direction));
    if (mine.length === 0) continue;
    const named = mine.flatMap(namesOf);
    const before = rules;
    if (named.length > 0) [names, rules] = [[...new Set(named)], new Map()];
    for (const one of mine) {
      for (const provider of one.providers.length > 0 ? namesOf(one) : names) {
        if (one.disabled) rules.delete(provider);
        else {
          const filter = one.filter?.expression ?? before.get(provider)?.filter;
          rules.set(provider, { provider, filter });
        }
      }
    }
  }
  return [...rules.values()];
}

function namesOf({ providers }: Pick<AccessLogging, "providers">): string[] {
  return providers.map(({ name }) => name);
}

/**
 * Returns the settings by metric; `undefined`: metrics are disabled.
 *
 * @param counts true: a provider uses the proxies' own metrics
 */
export function metricRules(
  levels: readonly Telemetry[],
  direction: Direction,
  defaults: DefaultProviders,
  counts: (provider: string) => boolean,
): ReadonlyMap<MetricName, MetricRule> | undefined {
  let names = defaults.metrics;
  const rules = new Map<MetricName, { disabled: boolean; tags: Map<string, string | undefined> }>(
    Object.values(METRICS).map((name) => [name, { disabled: false, tags: new Map() }]),
  );
  for (const { metrics } of levels) {
    const named = metrics.flatMap(namesOf);
    if (named.length > 0) names = named;
    for (const override of metrics.flatMap((one) => overridesOf(one, counts))) {
      if (!applies(override.match?.mode, direction)) continue;
      for (const name of metricsOf(override)) change(rules.get(name)!, override);
    }
  }
  return names.some(counts) ? rules : undefined;
}

/** An entry for other providers has no effect here. */
function overridesOf(
  one: Metrics,
  counts: (provider: string) => boolean,
): readonly MetricsOverrides[] {
  return one.providers.length === 0 || namesOf(one).some(counts) ? one.overrides : [];
}

function metricsOf({ match }: MetricsOverrides): readonly MetricName[] {
  const all = Object.values(METRICS);
  const chosen = match?.metricMatch;
  if (chosen?.case === "customMetric") {
    return all.filter((name) => name === chosen.value || `mesh_${name}` === chosen.value);
  }
  if (chosen?.case !== "metric" || chosen.value === MeshMetric.ALL_METRICS) return all;
  const name = MeshMetric[chosen.value] as keyof typeof METRICS;
  return [METRICS[name]];
}

function change(
  rule: { disabled: boolean; tags: Map<string, string | undefined> },
  { disabled, tagOverrides }: MetricsOverrides,
): void {
  if (disabled !== undefined) rule.disabled = disabled;
  for (const [tag, { operation, value }] of Object.entries(tagOverrides)) {
    rule.tags.set(tag, operation === TagOperation.REMOVE ? undefined : value);
  }
}

/** Returns the tracing settings; unset fields are inherited from previous levels. */
export function tracingRule(
  levels: readonly Telemetry[],
  direction: Direction,
  defaults: DefaultProviders,
): TracingRule {
  let rule: TracingRule = { provider: defaults.tracing[0] };
  for (const { tracing } of levels) {
    const one = tracing.find(({ match }) => applies(match?.mode, direction));
    if (one !== undefined) rule = { ...rule, ...said(one) };
  }
  return rule;
}

function said(one: Tracing): TracingRule {
  const all: TracingRule = {
    provider: one.providers[0]?.name,
    sampling: one.randomSamplingPercentage,
    disabled: one.disableSpanReporting,
    tags: Object.keys(one.customTags).length > 0 ? one.customTags : undefined,
    byRequestId: one.useRequestIdForTraceSampling,
    meshTags: one.enableMeshTags,
    noPropagation: one.disableContextPropagation,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
