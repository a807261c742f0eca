/**
 * Metrics of requests and connections with the mesh's labels: access loggers that update counters.
 *
 * Labels are formats. The cheapest forms are preferred: the workload's own labels are read once
 * from the environment, parts of the peer's label from the metadata of the request. Expressions are
 * used for connections, which are fewer, and for configured labels.
 *
 * @module
 */
import {
  type AccessLog,
  type AccessLogFilter,
  AccessLogFilterSchema,
  AccessLogSchema,
} from "#envoy/config/accesslog/v3/accesslog_pb.ts";
import { AccessLogType } from "#envoy/data/accesslog/v3/accesslog_pb.ts";
import {
  type Config_Counter as Counter,
  Config_CounterSchema as CounterSchema,
  type Config_Histogram as Histogram,
  Config_Histogram_Unit as Unit,
  Config_HistogramSchema as HistogramSchema,
  type Config_Stat as Stat,
  Config_StatSchema as StatSchema,
  ConfigSchema,
} from "#envoy/extensions/access_loggers/stats/v3/stats_pb.ts";
import { create, packAny } from "../../../kit/proto/mod.ts";
import {
  LOCAL_PRINCIPAL,
  MESH_METADATA,
  PEER_PRINCIPAL,
  type Side,
  TUNNEL_KEYS,
  TUNNEL_METADATA,
  WORKLOAD_KEY,
} from "../core/mod.ts";
import { celFormat } from "./expression.ts";
import { NAMESPACE_PIECE, PIECES, PROTOCOL_PIECE } from "./peers.ts";
import type { MetricName, MetricRule } from "./merge_levels.ts";

type Rules = ReadonlyMap<MetricName, MetricRule>;

type Labels = Readonly<Record<string, string>>;

/** Loggers of all listeners share these counters, so the counts survive listener changes. */
const SCOPE = { prefix: "mesh", sharingName: "mesh" } as const;

/** Settings of metrics. */
export interface Counting {
  readonly rules: Rules;
  /** True: metrics that were not updated for an interval are removed; agents set the interval. */
  readonly forgets: boolean;
  /** Cluster id of all endpoints with a workload label. */
  readonly clusterId: string;
  /** True: endpoints may have tunnels. */
  readonly tunnels?: boolean | undefined;
}

const ownPart = (what: string): string => `%ENVIRONMENT(MESH_SELF_${what})%`;

const piece = (key: string): string => `%DYNAMIC_METADATA(${MESH_METADATA}:${key})%`;

const service = (field: string): string => `%CLUSTER_METADATA(${MESH_METADATA}:service:${field})%`;

/**
 * Value of unknown labels. It is written as a format, because a part of a format may be missing.
 */
const UNKNOWN = "unknown";

/** A command of a format. */
interface Operator {
  readonly command: string;
  readonly param: string;
}

/** The identity at the end of a tunnel, which has been checked. */
const TUNNEL_END: Operator = {
  command: "UPSTREAM_METADATA",
  param: `${TUNNEL_METADATA}:${TUNNEL_KEYS.identity}`,
};

function known(command: string, param?: string, ...others: readonly Operator[]): string {
  const operators = [{ command, param }, ...others, { command: "CEL", param: `'${UNKNOWN}'` }];
  return `%COALESCE(${JSON.stringify({ operators })})%`;
}

/**
 * Namespace of the client of a connection under mutual TLS: that of the SPIFFE identity in its
 * certificate, `spiffe://DOMAIN/ns/NAMESPACE/sa/ACCOUNT`.
 */
const CLIENT_NAMESPACE = known(
  "CEL",
  "re.extract(connection.uri_san_peer_certificate," +
    "'^spiffe://[^/]+/ns/([^/]+)/sa/[^/]+$','\\\\1')",
);

/**
 * Parts of the client's workload in the subject of its certificate, which the mesh's authority
 * writes: `description=w/s/r/c/a/v`, with the keys of {@link PIECES}. An identity has one namespace,
 * but may have many workloads: the namespace is not one of the parts.
 */
const SUBJECT_PIECES = PIECES.filter((key) => key !== NAMESPACE_PIECE);

/** Returns a part of the client's workload, for connections under mutual TLS. */
function subjectPart(key: typeof PIECES[number]): string {
  if (key === NAMESPACE_PIECE) return CLIENT_NAMESPACE;
  const before = SUBJECT_PIECES.indexOf(key);
  const after = SUBJECT_PIECES.length - before - 1;
  return known(
    "CEL",
    "re.extract(connection.subject_peer_certificate," +
      `'^description=(?:[^/]+/){${before}}([^/]+)(?:/[^/]+){${after}}$','\\\\1')`,
  );
}

const ENDPOINT_LABEL =
  `xds.upstream_host_metadata.filter_metadata.${MESH_METADATA}.${WORKLOAD_KEY}`;

/**
 * Returns a part of an endpoint's label, for connections; empty if it is missing. The expression is
 * short, because every listener contains it dozens of times.
 */
function endpointPart(at: number): string {
  return `%CEL(re.extract(${ENDPOINT_LABEL},'(?:[^;]*;){${at}}([^;]*)','\\\\1'))%`;
}

/**
 * Returns the cluster id if the endpoint has a label. Special characters are escaped, twice if they
 * have a meaning in the rewrite.
 */
function endpointCluster(clusterId: string): string {
  const text = clusterId.replace(/[^\w.-]/g, (character) => {
    const code = `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return character === "\\" ? code + code : code;
  });
  return `%CEL(re.extract(${ENDPOINT_LABEL},'.+','${text}'))%`;
}

/** Labels of the local workload or its peer. */
function workloadLabels(side: "source" | "destination", parts: readonly string[]): Labels {
  const [workload = UNKNOWN, namespace = UNKNOWN, canonical = UNKNOWN, revision = UNKNOWN] = parts;
  const [, , , , cluster = UNKNOWN, app = canonical, version = revision] = parts;
  return {
    [`${side}_workload`]: workload,
    [`${side}_workload_namespace`]: namespace,
    [`${side}_app`]: app,
    [`${side}_version`]: version,
    [`${side}_canonical_service`]: canonical,
    [`${side}_canonical_revision`]: revision,
    [`${side}_cluster`]: cluster,
  };
}

const OWN = ["WORKLOAD", "NAMESPACE", "SERVICE", "REVISION", "CLUSTER", "APP", "VERSION"].map(
  ownPart,
);

/** Labels of both workloads. */
function endLabels(side: Side, tcp: boolean, { clusterId, tunnels }: Counting): Labels {
  const client = side === "client";
  const endpoint = [...[0, 1, 2, 3].map(endpointPart), endpointCluster(clusterId)];
  const peer = !tcp
    ? PIECES.slice(0, client ? 5 : PIECES.length).map(piece)
    : client
    ? endpoint
    : PIECES.map((key) => side === "mutual" ? subjectPart(key) : UNKNOWN);
  const principal = (mine: boolean): string => {
    if (client && mine) return known("UPSTREAM_LOCAL_URI_SAN");
    if (client) {
      return known("UPSTREAM_PEER_URI_SAN", undefined, ...tunnels === true ? [TUNNEL_END] : []);
    }
    if (side === "tunnel") {
      return `%FILTER_STATE(${mine ? LOCAL_PRINCIPAL : PEER_PRINCIPAL}:PLAIN)%`;
    }
    if (side === "server") return UNKNOWN;
    return mine ? "%DOWNSTREAM_LOCAL_URI_SAN%" : "%DOWNSTREAM_PEER_URI_SAN%";
  };
  return {
    reporter: client ? "source" : side === "waypoint" ? "waypoint" : "destination",
    ...workloadLabels("source", client ? OWN : peer),
    source_principal: principal(client),
    ...workloadLabels("destination", client ? peer : side === "waypoint" ? endpoint : OWN),
    destination_principal: principal(!client),
    destination_service: service("host"),
    destination_service_name: service("name"),
    destination_service_namespace: service("namespace"),
    connection_security_policy: client ? UNKNOWN : side === "server" ? "none" : "mutual_tls",
    response_flags: "%RESPONSE_FLAGS%",
  };
}

/** Labels that differ between requests and connections. */
function protocolLabels(tcp: boolean): Labels {
  return tcp ? { request_protocol: "tcp" } : {
    request_protocol: piece(PROTOCOL_PIECE),
    response_code: "%RESPONSE_CODE%",
    grpc_response_status: "%GRPC_STATUS_NUMBER%",
  };
}

/** Returns the metric with its labels, after the configured changes. */
function stat(name: MetricName, labels: Labels, { tags: changes }: MetricRule): Stat {
  const tags = new Map(Object.entries(labels));
  for (const [tag, expression] of changes) {
    const format = expression === undefined ? undefined : celFormat(expression);
    if (expression === undefined) tags.delete(tag);
    else if (format !== undefined) tags.set(tag, format);
  }
  return create(StatSchema, {
    name,
    tags: [...tags].map(([tag, valueFormat]) => ({ name: tag, valueFormat })),
  });
}

/** Value of a metric: a count, a sum, or a distribution. */
type Measure =
  | { readonly each: true }
  | { readonly sum: string }
  | { readonly spread: string; readonly unit: Unit };

/** A metric and its value. */
type Row = readonly [MetricName, Measure];

const REQUESTS: readonly Row[] = [
  ["requests_total", { each: true }],
  ["request_duration_milliseconds", { spread: "%DURATION%", unit: Unit.Milliseconds }],
  ["request_bytes", { spread: "%BYTES_RECEIVED%", unit: Unit.Bytes }],
  ["response_bytes", { spread: "%BYTES_SENT%", unit: Unit.Bytes }],
];

const OPENED: readonly Row[] = [["tcp_connections_opened_total", { each: true }]];

const CLOSED: readonly Row[] = [
  ["tcp_connections_closed_total", { each: true }],
  ["tcp_sent_bytes_total", { sum: "%BYTES_SENT%" }],
  ["tcp_received_bytes_total", { sum: "%BYTES_RECEIVED%" }],
];

/** Returns a logger for some metrics; empty if all of them are disabled. */
function logger(
  rows: readonly Row[],
  labels: Labels,
  { rules, forgets }: Counting,
  filter?: AccessLogFilter,
): AccessLog[] {
  const histograms: Histogram[] = [];
  const counters: Counter[] = [];
  for (const [name, measure] of rows) {
    const rule = rules.get(name);
    if (rule === undefined || rule.disabled) continue;
    const common = { stat: stat(name, labels, rule) };
    if ("spread" in measure) {
      const { spread: valueFormat, unit } = measure;
      histograms.push(create(HistogramSchema, { ...common, unit, valueFormat }));
    } else if ("sum" in measure) {
      counters.push(create(CounterSchema, { ...common, valueFormat: measure.sum }));
    } else counters.push(create(CounterSchema, { ...common, valueFixed: 1n }));
  }
  if (histograms.length + counters.length === 0) return [];
  const typedConfig = packAny(ConfigSchema, {
    statsScope: { ...SCOPE, enableEviction: forgets },
    histograms,
    counters,
  });
  return [create(AccessLogSchema, {
    name: "envoy.access_loggers.stats",
    filter,
    configType: { case: "typedConfig", value: typedConfig },
  })];
}

/** Matches log entries at connection open, or all others. */
export function whenOpened(exclude: boolean): AccessLogFilter {
  return create(AccessLogFilterSchema, {
    filterSpecifier: {
      case: "logTypeFilter",
      value: { types: [AccessLogType.TcpUpstreamConnected], exclude },
    },
  });
}

/**
 * Returns loggers for the request metrics of a side. gRPC message counts are not included: Envoy
 * stores both counts of a stream in one value, `REQUESTS,RESPONSES`, which no format or expression
 * can split, and a counter whose value is not a number logs an error for each request.
 */
export function requestMetrics(side: Side, counting: Counting): AccessLog[] {
  return logger(REQUESTS, {
    ...endLabels(side, false, counting),
    ...protocolLabels(false),
  }, counting);
}

/** Returns loggers for the connection metrics of a side, at open and at close. */
export function connectionMetrics(
  side: Side,
  counting: Counting,
): { readonly opened: AccessLog[]; readonly closed: AccessLog[] } {
  const labels = { ...endLabels(side, true, counting), ...protocolLabels(true) };
  return {
    opened: logger(OPENED, labels, counting, whenOpened(false)),
    closed: logger(CLOSED, labels, counting, whenOpened(true)),
  };
}
