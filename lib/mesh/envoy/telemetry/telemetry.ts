/**
 * Builds the telemetry of listeners from Telemetry resources and the mesh configuration: access
 * logs, metrics, tracing.
 *
 * @module
 */
import { type AccessLog, AccessLogSchema } from "#envoy/config/accesslog/v3/accesslog_pb.ts";
import {
  HttpConnectionManager_TracingSchema as TracingSchema,
  HttpFilterSchema,
  type RequestIDExtension,
  RequestIDExtensionSchema,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { UuidRequestIdConfigSchema } from "#envoy/extensions/request_id/uuid/v3/uuid_pb.ts";
import type { MeshConfig_ExtensionProvider as ExtensionProvider } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { Tracing as MeshTracing } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import type { Telemetry } from "#mesh/telemetry/v1alpha1/telemetry_pb.ts";
import { hash } from "../../../kit/base/mod.ts";
import type { OmittedFeature } from "../../model/mod.ts";
import { create, encode, packAny } from "../../../kit/proto/mod.ts";
import type { Side, SideTelemetry, TelemetrySet } from "../core/mod.ts";
import { type AccessLogSettings, fileLog, unmatchedOnly } from "./access_log.ts";
import { allOf, expressionFilter, type ProviderLogs, providerLogs, serviceLogs } from "./logs.ts";
import { connectionMetrics, requestMetrics, whenOpened } from "./metrics.ts";
import { NO_PEER, READ_CLIENT_LABEL, readServerLabel, SEND_CLIENT_LABEL } from "./peers.ts";
import {
  type DefaultProviders,
  type Direction,
  logRules,
  metricRules,
  type TracingRule,
  tracingRule,
} from "./merge_levels.ts";
import { tracingOf } from "./tracing.ts";

export interface TelemetryInput {
  /** The resources that apply, the least specific first. */
  readonly levels: readonly Telemetry[];
  readonly providers: readonly ExtensionProvider[];
  readonly defaults: DefaultProviders;
  /** Settings of `accessLogFile`; used unless a resource names other providers. */
  readonly file?: AccessLogSettings;
  /** True: the access log service of the proxy configuration is used too. */
  readonly logService?: boolean;
  /** `tracing` of the default proxy configuration. */
  readonly tracing?: MeshTracing;
  /** True: the bootstrap configures a tracer, and `enableTracing` is set. */
  readonly builtInTracer: boolean;
  /** Default sampling rate, percent. */
  readonly sampling: number;
  /** True: proxies exchange the identity of their workloads. */
  readonly exchangeMetadata: boolean;
  /** Cluster id of all endpoints with a workload label. */
  readonly clusterId: string;
  /** True: metrics that were not updated for some time are removed. */
  readonly forgets?: boolean;
  /** True: the mesh has tunnels. */
  readonly tunnels?: boolean;
  /** Features that the proxy lacks; absent: none. */
  readonly missing?: readonly OmittedFeature[] | undefined;
  /** See `TracingInput.certain`. */
  readonly certain: boolean;
  /** Returns the cluster of a service and port, if the service exists. */
  readonly clusterOf: (service: string, port: number) => string | undefined;
}

/** Provider name that stands for `accessLogFile`; names of providers are never empty. */
const MESH_FILE = "";

/** Provider name that stands for the access log service. */
const MESH_SERVICE = "\0service";

/** The telemetry of listeners and its digest: equal digests mean equal telemetry. */
export interface TelemetryResult {
  readonly telemetry: TelemetrySet;
  readonly digest: string;
}

/** Builds the telemetry of a workload. */
export function buildTelemetry(input: TelemetryInput): TelemetryResult {
  const client = sideTelemetry(input, "client");
  const server = sideTelemetry(input, "server");
  const telemetry = {
    client,
    server,
    mutual: sideTelemetry(input, "mutual"),
    ...(input.tunnels === true
      ? {
        tunnel: sideTelemetry(input, "tunnel"),
        waypoint: sideTelemetry(input, "waypoint"),
      }
      : {}),
  };
  return { telemetry, digest: digestOf(telemetry) };
}

function sideTelemetry(input: TelemetryInput, side: Side): SideTelemetry {
  const direction: Direction = side === "client" ? "client" : "server";
  const logs = logsOf(input, direction);
  const byName = new Map(input.providers.map((provider) => [provider.name, provider]));
  const counts = (name: string): boolean => byName.get(name)?.provider.case === "prometheus";
  const rules = metricRules(input.levels, direction, input.defaults, counts);
  const rule = tracingRule(input.levels, direction, input.defaults);
  const tracing = tracingOf({
    rule,
    provider: rule.provider === undefined ? undefined : byName.get(rule.provider),
    defaults: input.tracing,
    builtIn: rule.provider === undefined && input.builtInTracer,
    clusterOf: input.clusterOf,
    certain: input.certain,
    plainTags: input.missing?.includes("formatted-tags") === true,
    sampling: input.sampling,
  });
  const { clusterId } = input;
  const counting = rules === undefined || input.missing?.includes("metrics") === true
    ? undefined
    : { rules, forgets: input.forgets === true, clusterId, tunnels: input.tunnels };
  const connections = counting && connectionMetrics(side, counting);
  const opened = connections !== undefined && connections.opened.length > 0;
  return {
    http: [...logs.http, ...(counting === undefined ? [] : requestMetrics(side, counting))],
    tcp: [
      ...(opened ? logs.tcp.map(atTheEnd) : logs.tcp),
      ...(connections?.opened ?? []),
      ...(connections?.closed ?? []),
    ],
    unmatched: logs.plain.map(unmatchedOnly),
    opened,
    ...(rules === undefined ? { first: [], last: [] } : peerFilters(input, direction)),
    tracing,
    requestId: tracing && requestIds(rule),
  };
}

/** Returns the filters that exchange workload identities. */
function peerFilters(
  { exchangeMetadata, clusterId }: TelemetryInput,
  direction: Direction,
): Pick<SideTelemetry, "first" | "last"> {
  if (!exchangeMetadata) return { first: [NO_PEER()], last: [] };
  return direction === "client"
    ? { first: [readServerLabel(clusterId)], last: [SEND_CLIENT_LABEL()] }
    : { first: [READ_CLIENT_LABEL()], last: [] };
}

interface Logs {
  readonly http: readonly AccessLog[];
  readonly tcp: readonly AccessLog[];
  /** Connection loggers without their filters: unmatched connections are always logged. */
  readonly plain: readonly AccessLog[];
}

function logsOf(input: TelemetryInput, direction: Direction): Logs {
  const { file, defaults } = input;
  const names = [
    ...(file === undefined ? [] : [MESH_FILE]),
    ...(input.logService === true ? [MESH_SERVICE] : []),
    ...defaults.logs,
  ];
  const all = logRules(input.levels, direction, { ...defaults, logs: names }).map((rule) => ({
    ...loggersOf(input, rule.provider),
    filter: allOf(expressionFilter(rule.filter)),
  }));
  const filtered = (kind: "http" | "tcp"): AccessLog[] =>
    all.flatMap((one) =>
      one[kind].map((log) => create(AccessLogSchema, { ...log, filter: one.filter }))
    );
  return { http: filtered("http"), tcp: filtered("tcp"), plain: all.flatMap(({ tcp }) => tcp) };
}

/** Returns the loggers of a provider name. */
function loggersOf({ file, providers, clusterOf }: TelemetryInput, name: string): ProviderLogs {
  if (name === MESH_FILE && file !== undefined) {
    return { http: [fileLog(file)], tcp: [fileLog(file)] };
  }
  if (name === MESH_SERVICE) return serviceLogs();
  const provider = providers.find((one) => one.name === name);
  return provider === undefined ? { http: [], tcp: [] } : providerLogs(provider, clusterOf);
}

/** Logs a connection once, at its end, although loggers also run at open. */
function atTheEnd(log: AccessLog): AccessLog {
  const filter = allOf([whenOpened(true), ...(log.filter === undefined ? [] : [log.filter])]);
  return create(AccessLogSchema, { ...log, filter });
}

/** The request id also decides about sampling, unless configured otherwise. */
function requestIds({ byRequestId }: TracingRule): RequestIDExtension | undefined {
  if (byRequestId === undefined) return undefined;
  return create(RequestIDExtensionSchema, {
    typedConfig: packAny(UuidRequestIdConfigSchema, { useRequestIdForTraceSampling: byRequestId }),
  });
}

function digestOf(set: TelemetrySet): string {
  const parts = Object.values(set).flatMap((side: SideTelemetry) => [
    ...[...side.http, ...side.tcp, ...side.unmatched].map((log) => encode(AccessLogSchema, log)),
    ...[...side.first, ...side.last].map((filter) => encode(HttpFilterSchema, filter)),
    ...(side.tracing === undefined ? [] : [encode(TracingSchema, side.tracing)]),
    ...(side.requestId === undefined ? [] : [encode(RequestIDExtensionSchema, side.requestId)]),
  ]);
  return hash(parts.map((bytes) => hash(bytes)).join(","));
}
