/**
 * Destinations of the proxy's traces and metrics, from the proxy configuration.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { durationMs, type JsonObject } from "../../kit/proto/mod.ts";
import { isIp, isIpv6 } from "../../kit/text/mod.ts";
import type { ProxyConfig } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import type { ClientTLSSettings } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { transportSocket, unsupportedTls } from "./collector_tls.ts";
import { type Families, loopbackOf } from "./families.ts";
import { dnsCluster, http2 } from "./static_resources.ts";

/** Parts of the bootstrap file for tracing and metric sinks. */
export interface Telemetry {
  readonly clusters: readonly JsonObject[];
  /** `tracing` of the bootstrap file; undefined: no tracer. */
  readonly tracing: JsonObject | undefined;
  readonly sinks: readonly JsonObject[];
}

/** Names of the fields that are set and have no effect, with the reason. */
export type IneffectiveTelemetry = ReadonlyMap<string, string>;

const TRACE = "type.googleapis.com/envoy.config.trace.v3.";
const METRICS = "type.googleapis.com/envoy.config.metrics.v3.";
const ZIPKIN_REFRESH = "30s";

/** Facts on which the addresses of destinations depend. */
export interface Surroundings {
  readonly families: Families;
  /** The variable `HOST_IP`: the address of the node. */
  readonly hostIp: string | undefined;
}

/** Stands for the variable `HOST_IP` as the host of an address. */
const HOST_IP = "$(HOST_IP)";

/** Returns why a destination cannot be used; `undefined` if it can. */
function unusable(
  address: string,
  tls: ClientTLSSettings | undefined,
  { hostIp }: Surroundings,
): string | undefined {
  if (address.startsWith(HOST_IP) && !hostIp) return "the variable HOST_IP is not set";
  return unsupportedTls(tls);
}

/**
 * Builds the tracers and sinks of a configuration. A destination that cannot be used is omitted: see
 * {@link ineffectiveTelemetry}.
 *
 * @throws MeshError `agent-address` for an address that is not `host:port`
 */
export function telemetryOf(
  proxy: ProxyConfig,
  service: string,
  surroundings: Surroundings,
): Telemetry {
  const clusters: JsonObject[] = [];
  const sinks: JsonObject[] = [];
  const { tracing, cluster } = tracer(proxy, service, surroundings);
  if (cluster !== undefined) clusters.push(cluster);
  const collector = (name: string, remote: RemoteService | undefined): boolean => {
    if (!remote || unusable(remote.address, remote.tlsSettings, surroundings)) return false;
    const target = targetOf(`${name}.address`, remote.address, surroundings);
    clusters.push(dnsCluster(name, target, connection(remote)));
    return true;
  };
  if (collector("dataproxy_metrics_service", proxy.dataproxyMetricsService)) {
    sinks.push(metricsSink("dataproxy_metrics_service"));
  }
  collector("dataproxy_accesslog_service", proxy.dataproxyAccessLogService);
  const statsd = proxy.statsdUdpAddress;
  if (statsd !== "" && !unusable(statsd, undefined, surroundings)) {
    sinks.push(statsdSink(statsd, surroundings));
  }
  return { clusters, tracing, sinks };
}

/** Returns the telemetry fields that this agent or this proxy does not support. */
export function ineffectiveTelemetry(
  proxy: ProxyConfig,
  surroundings: Surroundings,
): IneffectiveTelemetry {
  const ineffective = new Map<string, string>();
  const chosen = tracerAddress(proxy);
  const set = (field: string, address: string, tls?: ClientTLSSettings): void => {
    const why = unusable(address, tls, surroundings);
    if (why !== undefined) ineffective.set(field, why);
  };
  const kind = proxy.tracing?.tracer.case;
  if (kind === "lightstep" || kind === "openCensusAgent" || kind === "stackdriver") {
    ineffective.set(`tracing.${kind}`, "the proxy has no such tracer");
  } else if (chosen !== undefined) {
    const field = chosen.address.startsWith(HOST_IP) ? chosen.field : "tracing.tlsSettings";
    set(field, chosen.address, proxy.tracing?.tlsSettings);
  }
  const { dataproxyMetricsService: metrics, dataproxyAccessLogService: access } = proxy;
  if (metrics) set("dataproxyMetricsService", metrics.address, metrics.tlsSettings);
  if (access) set("dataproxyAccessLogService", access.address, access.tlsSettings);
  set("statsdUdpAddress", proxy.statsdUdpAddress);
  return ineffective;
}

type RemoteService = NonNullable<ProxyConfig["dataproxyMetricsService"]>;

/** Returns the connection settings of a service's cluster. The kernel counts in seconds. */
function connection({ tcpKeepalive: keepalive, tlsSettings }: RemoteService): JsonObject {
  const secured = { ...http2(), ...transportSocket(tlsSettings, ["h2"]) };
  if (keepalive === undefined) return secured;
  const { probes, time, interval } = keepalive;
  const seconds = (span: typeof time): number => Math.max(1, Math.ceil(durationMs(span!) / 1_000));
  return {
    ...secured,
    upstream_connection_options: {
      tcp_keepalive: {
        ...(probes === 0 ? {} : { keepalive_probes: probes }),
        ...(time === undefined ? {} : { keepalive_time: seconds(time) }),
        ...(interval === undefined ? {} : { keepalive_interval: seconds(interval) }),
      },
    },
  };
}

/** The collector of traces; `undefined`: there is none that the proxy knows. */
function tracerAddress(
  { tracing, zipkinAddress }: ProxyConfig,
):
  | { readonly kind: "datadog" | "zipkin"; readonly field: string; readonly address: string }
  | undefined {
  const chosen = tracing?.tracer;
  if (chosen?.case === "datadog") {
    return { kind: "datadog", field: "tracing.datadog.address", address: chosen.value.address };
  }
  const address = chosen?.case === "zipkin" ? chosen.value.address : zipkinAddress;
  return address === "" ? undefined : { kind: "zipkin", field: "tracing.zipkin.address", address };
}

function tracer(
  proxy: ProxyConfig,
  service: string,
  surroundings: Surroundings,
): { tracing?: JsonObject; cluster?: JsonObject } {
  const tls = proxy.tracing?.tlsSettings;
  const chosen = tracerAddress(proxy);
  if (chosen === undefined || unusable(chosen.address, tls, surroundings)) return {};
  const target = targetOf(chosen.field, chosen.address, surroundings);
  if (chosen.kind === "datadog") {
    return {
      cluster: dnsCluster("datadog_agent", target, transportSocket(tls)),
      tracing: http("datadog", {
        "@type": `${TRACE}DatadogConfig`,
        collector_cluster: "datadog_agent",
        service_name: service,
      }),
    };
  }
  return {
    cluster: dnsCluster("zipkin", target, {
      dns_refresh_rate: ZIPKIN_REFRESH,
      ...transportSocket(tls),
    }),
    tracing: http("zipkin", {
      "@type": `${TRACE}ZipkinConfig`,
      collector_cluster: "zipkin",
      collector_endpoint: "/api/v2/spans",
      collector_endpoint_version: "HTTP_JSON",
      trace_id_128bit: true,
      shared_span_context: false,
    }),
  };
}

function http(name: string, typed_config: JsonObject): JsonObject {
  return { http: { name: `envoy.tracers.${name}`, typed_config } };
}

function metricsSink(cluster: string): JsonObject {
  return {
    name: "envoy.stat_sinks.metrics_service",
    typed_config: {
      "@type": `${METRICS}MetricsServiceConfig`,
      transport_api_version: "V3",
      grpc_service: { envoy_grpc: { cluster_name: cluster } },
    },
  };
}

/** The proxy does not resolve names here, so the address must be an IP address. */
function statsdSink(address: string, surroundings: Surroundings): JsonObject {
  const { host, port } = targetOf("statsdUdpAddress", address, surroundings);
  if (!isIp(host) && host !== "localhost") {
    throw new MeshError("agent-address", `statsdUdpAddress is ${address}, which is not ip:port`, {
      remedy: "Name the collector by its IP address.",
    });
  }
  const ip = host === "localhost" ? loopbackOf(surroundings.families.first) : host;
  return {
    name: "envoy.stat_sinks.statsd",
    typed_config: {
      "@type": `${METRICS}StatsdSink`,
      address: { socket_address: { protocol: "UDP", address: ip, port_value: port } },
    },
  };
}

/** A destination: `$(HOST_IP):port` is a port of the node. */
function targetOf(
  field: string,
  address: string,
  { hostIp = "", families }: Surroundings,
): { host: string; port: number; families: Families } {
  const host = hostIp.includes(":") ? `[${hostIp}]` : hostIp;
  const named = address.startsWith(HOST_IP) ? host + address.slice(HOST_IP.length) : address;
  return { ...hostPort(field, named), families };
}

/**
 * Splits `host:port`, `[ipv6]:port`.
 *
 * @param field named in the error
 * @throws MeshError `agent-address`
 */
export function hostPort(field: string, address: string): { host: string; port: number } {
  const parts = /^(?:\[([^\]]+)\]|([^:[\]/\s]+)):(\d{1,5})$/.exec(address);
  const host = parts?.[1] ?? parts?.[2] ?? "";
  const port = Number(parts?.[3]);
  const wellFormed = host !== "" && (parts?.[1] !== undefined) === isIpv6(host);
  if (wellFormed && port > 0 && port < 65536) return { host, port };
  throw new MeshError("agent-address", `${field} is ${JSON.stringify(address)}, not host:port`, {
    remedy: "Write host:port, with an IPv6 address in brackets.",
  });
}
