/**
 * Destinations of the proxy's traces and metrics, from the proxy configuration.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import { durationMs, type JsonObject } from "../proto/mod.ts";
import { isIp, isIpv6 } from "../text/mod.ts";
import type { ProxyConfig } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { transportSocket, unsupportedTls } from "./collector_tls.ts";
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

/**
 * Builds the tracers and sinks of a configuration. A destination with unsupported TLS settings is
 * omitted: see {@link ineffectiveTelemetry}.
 *
 * @throws MeshError `agent-address` for an address that is not `host:port`
 */
export function telemetryOf(proxy: ProxyConfig, service: string): Telemetry {
  const clusters: JsonObject[] = [];
  const sinks: JsonObject[] = [];
  const metrics = proxy.dataproxyMetricsService;
  const access = proxy.dataproxyAccessLogService;
  const { tracing, cluster } = tracer(proxy, service);
  if (cluster !== undefined) clusters.push(cluster);
  if (metrics !== undefined && unsupportedTls(metrics.tlsSettings) === undefined) {
    const name = "dataproxy_metrics_service";
    clusters.push(
      dnsCluster(name, hostPort(`${name}.address`, metrics.address), connection(metrics)),
    );
    sinks.push(metricsSink(name));
  }
  if (access !== undefined && unsupportedTls(access.tlsSettings) === undefined) {
    const name = "dataproxy_accesslog_service";
    clusters.push(
      dnsCluster(name, hostPort(`${name}.address`, access.address), connection(access)),
    );
  }
  if (proxy.statsdUdpAddress !== "") sinks.push(statsdSink(proxy.statsdUdpAddress));
  return { clusters, tracing, sinks };
}

/** Returns the telemetry fields that this agent or this proxy does not support. */
export function ineffectiveTelemetry(proxy: ProxyConfig): IneffectiveTelemetry {
  const ineffective = new Map<string, string>();
  const kind = proxy.tracing?.tracer.case;
  const set = (field: string, why: string | undefined): void => {
    if (why !== undefined) ineffective.set(field, why);
  };
  if (kind === "lightstep" || kind === "openCensusAgent" || kind === "stackdriver") {
    set(`tracing.${kind}`, "the proxy has no such tracer");
  } else if (kind !== undefined) {
    set("tracing.tlsSettings", unsupportedTls(proxy.tracing?.tlsSettings));
  }
  set("dataproxyMetricsService", unsupportedTls(proxy.dataproxyMetricsService?.tlsSettings));
  set("dataproxyAccessLogService", unsupportedTls(proxy.dataproxyAccessLogService?.tlsSettings));
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

function tracer(
  proxy: ProxyConfig,
  service: string,
): { tracing?: JsonObject; cluster?: JsonObject } {
  const tls = proxy.tracing?.tlsSettings;
  if (unsupportedTls(tls) !== undefined) return {};
  const chosen = proxy.tracing?.tracer;
  const zipkin = chosen?.case === "zipkin" ? chosen.value.address : proxy.zipkinAddress;
  if (chosen?.case === "datadog") {
    return {
      cluster: dnsCluster(
        "datadog_agent",
        hostPort("tracing.datadog.address", chosen.value.address),
        transportSocket(tls),
      ),
      tracing: http("datadog", {
        "@type": `${TRACE}DatadogConfig`,
        collector_cluster: "datadog_agent",
        service_name: service,
      }),
    };
  }
  if (zipkin === "") return {};
  const target = hostPort("tracing.zipkin.address", zipkin);
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
function statsdSink(address: string): JsonObject {
  const { host, port } = hostPort("statsdUdpAddress", address);
  if (!isIp(host) && host !== "localhost") {
    throw new MeshError("agent-address", `statsdUdpAddress is ${address}, which is not ip:port`, {
      remedy: "Name the collector by its IP address.",
    });
  }
  const ip = host === "localhost" ? "127.0.0.1" : host;
  return {
    name: "envoy.stat_sinks.statsd",
    typed_config: {
      "@type": `${METRICS}StatsdSink`,
      address: { socket_address: { protocol: "UDP", address: ip, port_value: port } },
    },
  };
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
