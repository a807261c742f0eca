/**
 * Access logs of the mesh configuration's providers.
 *
 * @module
 */
import {
  type AccessLog,
  type AccessLogFilter,
  AccessLogFilterSchema,
  AccessLogSchema,
} from "#envoy/config/accesslog/v3/accesslog_pb.ts";
import { ApiVersion } from "#envoy/config/core/v3/config_source_pb.ts";
import { FileAccessLogSchema } from "#envoy/extensions/access_loggers/file/v3/file_pb.ts";
import { ExpressionFilterSchema } from "#envoy/extensions/access_loggers/filters/cel/v3/cel_pb.ts";
import {
  CommonGrpcAccessLogConfigSchema as CommonSchema,
  HttpGrpcAccessLogConfigSchema,
  TcpGrpcAccessLogConfigSchema,
} from "#envoy/extensions/access_loggers/grpc/v3/als_pb.ts";
import { OpenTelemetryAccessLogConfigSchema } from "#envoy/extensions/access_loggers/open_telemetry/v3/logs_service_pb.ts";
import type { MeshConfig_ExtensionProvider as ExtensionProvider } from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  create,
  type DescMessage,
  type JsonObject,
  type MessageInitShape,
  packAny,
} from "../../../kit/proto/mod.ts";
import { FILE_LOGGER, type Format, formatOf, TEXT_FORMAT } from "./access_log.ts";
import { isReadable } from "./expression.ts";

/** The loggers of a provider for requests and for connections. */
export interface ProviderLogs {
  readonly http: readonly AccessLog[];
  readonly tcp: readonly AccessLog[];
}

/** Default names of logs. */
const LOG_NAMES = {
  http: "http_dataproxy_accesslog",
  tcp: "tcp_dataproxy_accesslog",
  otel: "otel_dataproxy_accesslog",
} as const;

type Provider = ExtensionProvider["provider"];

type Of<K> = Extract<Provider, { case: K }>["value"];

/**
 * Returns the loggers of a provider; empty if it does not log.
 *
 * @param clusterOf returns the cluster of a service and port, if the service exists
 */
export function providerLogs(
  { provider }: ExtensionProvider,
  clusterOf: (service: string, port: number) => string | undefined,
): ProviderLogs {
  switch (provider.case) {
    case "dataproxyFileAccessLog":
      return both(toFile(provider.value));
    case "dataproxyHttpAls":
      return { http: toHttpService(provider.value, clusterOf), tcp: [] };
    case "dataproxyTcpAls":
      return { http: [], tcp: toTcpService(provider.value, clusterOf) };
    case "dataproxyOtelAls":
      return both(toOpenTelemetry(provider.value, clusterOf));
    default:
      return both([]);
  }
}

/** Cluster of the access log service in the proxy configuration; the agent defines it. */
const SERVICE_CLUSTER = "dataproxy_accesslog_service";

/** Returns the loggers for that service. */
export function serviceLogs(): ProviderLogs {
  const to = { service: SERVICE_CLUSTER, port: 0, logName: "", filterStateObjectsToLog: [] };
  const nothingMore = {
    additionalRequestHeadersToLog: [],
    additionalResponseHeadersToLog: [],
    additionalResponseTrailersToLog: [],
  };
  const clusterOf: ClusterOf = (service) => service;
  return {
    http: toHttpService({ ...to, ...nothingMore }, clusterOf),
    tcp: toTcpService(to, clusterOf),
  };
}

function both(logs: readonly AccessLog[]): ProviderLogs {
  return { http: logs, tcp: logs };
}

function logger<D extends DescMessage>(
  name: string,
  schema: D,
  config: MessageInitShape<D>,
): AccessLog {
  return create(AccessLogSchema, {
    name,
    configType: { case: "typedConfig", value: packAny(schema, config) },
  });
}

function toFile({ path, logFormat, omitEmptyValues }: Of<"dataproxyFileAccessLog">): AccessLog[] {
  const given = logFormat?.logFormat;
  const format: Format = given?.case === "labels"
    ? { case: "jsonFormat", value: given.value as JsonObject }
    : formatOf({ encoding: "text", format: given?.case === "text" ? given.value : "" });
  return [logger(FILE_LOGGER, FileAccessLogSchema, {
    path: path === "" ? "/dev/stdout" : path,
    accessLogFormat: { case: "logFormat", value: { format, omitEmptyValues } },
  })];
}

/** A message as plain data. */
type Plain<M> = Omit<M, "$typeName" | "$unknown">;

type ClusterOf = (service: string, port: number) => string | undefined;

/** Returns the common gRPC settings of a log; `undefined` if the service does not exist. */
function common(
  to: { readonly service: string; readonly port: number; readonly logName: string },
  name: string,
  clusterOf: ClusterOf,
  filterStateObjectsToLog: readonly string[] = [],
): MessageInitShape<typeof CommonSchema> | undefined {
  const clusterName = clusterOf(to.service, to.port);
  return clusterName === undefined ? undefined : {
    logName: to.logName || name,
    transportApiVersion: ApiVersion.V3,
    grpcService: { targetSpecifier: { case: "envoyGrpc", value: { clusterName } } },
    filterStateObjectsToLog: [...filterStateObjectsToLog],
  };
}

function toHttpService(to: Plain<Of<"dataproxyHttpAls">>, clusterOf: ClusterOf): AccessLog[] {
  const commonConfig = common(to, LOG_NAMES.http, clusterOf, to.filterStateObjectsToLog);
  return commonConfig === undefined
    ? []
    : [logger("envoy.access_loggers.http_grpc", HttpGrpcAccessLogConfigSchema, {
      commonConfig,
      additionalRequestHeadersToLog: to.additionalRequestHeadersToLog,
      additionalResponseHeadersToLog: to.additionalResponseHeadersToLog,
      additionalResponseTrailersToLog: to.additionalResponseTrailersToLog,
    })];
}

function toTcpService(to: Plain<Of<"dataproxyTcpAls">>, clusterOf: ClusterOf): AccessLog[] {
  const commonConfig = common(to, LOG_NAMES.tcp, clusterOf, to.filterStateObjectsToLog);
  return commonConfig === undefined
    ? []
    : [logger("envoy.access_loggers.tcp_grpc", TcpGrpcAccessLogConfigSchema, { commonConfig })];
}

function toOpenTelemetry(to: Of<"dataproxyOtelAls">, clusterOf: ClusterOf): AccessLog[] {
  const commonConfig = common(to, LOG_NAMES.otel, clusterOf);
  if (commonConfig === undefined) return [];
  const { text = "", labels } = to.logFormat ?? {};
  return [logger("envoy.access_loggers.open_telemetry", OpenTelemetryAccessLogConfigSchema, {
    commonConfig,
    disableBuiltinLabels: true,
    body: { value: { case: "stringValue", value: text || TEXT_FORMAT.trimEnd() } },
    attributes: labels && { values: Object.entries(labels).map(([key, v]) => keyValue(key, v)) },
  })];
}

function keyValue(key: string, value: unknown) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { key, value: { value: { case: "stringValue" as const, value: text } } };
}

/**
 * Returns the conjunction of filters.
 *
 * @returns `undefined` for no filters
 */
export function allOf(filters: readonly AccessLogFilter[]): AccessLogFilter | undefined {
  if (filters.length < 2) return filters[0];
  return create(AccessLogFilterSchema, {
    filterSpecifier: { case: "andFilter", value: { filters: [...filters] } },
  });
}

/**
 * Filters by an expression. An expression that Envoy cannot parse is ignored: a longer log is
 * better than none.
 */
export function expressionFilter(expression: string | undefined): AccessLogFilter[] {
  if (expression === undefined || !isReadable(expression)) return [];
  return [create(AccessLogFilterSchema, {
    filterSpecifier: {
      case: "extensionFilter",
      value: {
        name: "envoy.access_loggers.extension_filters.cel",
        configType: {
          case: "typedConfig",
          value: packAny(ExpressionFilterSchema, { expression }),
        },
      },
    },
  })];
}
