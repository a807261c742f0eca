/**
 * Static clusters and listeners of a proxy: the connection to the agent, the admin API, and the
 * health and metrics listeners.
 *
 * @module
 */
import type { JsonObject } from "../../kit/proto/mod.ts";
import { type Families, listenerAddresses, lookupFamily, loopbackOf } from "./families.ts";

/** Ports of one proxy and its agent. */
export interface AgentPorts {
  /** The proxy's admin API, on loopback. */
  readonly admin: number;
  /** The agent's status server. */
  readonly status: number;
  /** The proxy's health listener. */
  readonly health: number;
  /** The proxy's metrics listener. */
  readonly prometheus: number;
}

/** Input of the static resources. */
export interface StaticInput {
  readonly ports: AgentPorts;
  /** Path of the agent's xDS socket. */
  readonly xdsSocket: string;
  /** Socket of the workload's secrets; undefined: there is none. */
  readonly sdsSocket?: string;
  /** Socket of another program that serves secrets; undefined: there is none. */
  readonly externalSocket?: string | undefined;
  readonly families: Families;
  /** True: the listeners are on loopback. */
  readonly loopbackOnly: boolean;
  /** True: the metrics listener is on loopback. */
  readonly metricsLocalOnly: boolean;
  /** True: static listeners are served even if the proxy is overloaded. */
  readonly bypassOverload: boolean;
  /** Compression of the metrics listener. */
  readonly compression: "brotli" | "gzip" | "zstd" | undefined;
  /** Additional clusters, for tracers and sinks. */
  readonly clusters: readonly JsonObject[];
}

const TYPE = "type.googleapis.com/envoy.";
const HTTP_OPTIONS = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";
/** 16 MiB: large pushes cost a third less CPU than with the default window. */
const XDS_WINDOW_BYTES = 16 * 1024 * 1024;
/** Idle seconds before TCP keepalive; no effect on a Unix socket. */
const XDS_KEEPALIVE_S = 300;
/** In effect no circuit breaker: configuration must never be rejected by it. */
const XDS_CIRCUIT = 100_000;

/** The `static_resources` of the bootstrap file. */
export function staticResources(input: StaticInput): JsonObject {
  const loopback = loopbackOf(input.families.first);
  return {
    clusters: [
      loopbackCluster("prometheus_stats", loopback, input.ports.admin),
      loopbackCluster("agent", loopback, input.ports.status),
      xdsCluster(input.xdsSocket),
      ...input.sdsSocket === undefined ? [] : [sdsCluster("sds-grpc", input.sdsSocket)],
      ...input.externalSocket === undefined
        ? []
        : [sdsCluster("sds-external", input.externalSocket)],
      ...input.clusters,
    ],
    listeners: [
      listener(input, input.ports.prometheus, {
        statPrefix: "stats",
        path: "/stats/prometheus",
        cluster: "prometheus_stats",
        filters: [
          ...compressor(input.compression),
        ],
        local: input.loopbackOnly || input.metricsLocalOnly,
      }),
      listener(input, input.ports.health, {
        statPrefix: "agent",
        path: "/healthz/ready",
        cluster: "agent",
        filters: [],
        local: input.loopbackOnly,
      }),
    ],
  };
}

/** Name in statistics; the `;` ends it, so that the tag expression matches it. */
function named(name: string): JsonObject {
  return { name, alt_stat_name: `${name};` };
}

function endpoints(cluster: string, address: JsonObject): JsonObject {
  return { cluster_name: cluster, endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] };
}

/** The protocol options of an HTTP/2 cluster. */
export function http2(options: JsonObject = {}): JsonObject {
  const value = {
    "@type": `type.googleapis.com/${HTTP_OPTIONS}`,
    explicit_http_config: { http2_protocol_options: options },
  };
  return { typed_extension_protocol_options: { [HTTP_OPTIONS]: value } };
}

function loopbackCluster(name: string, address: string, port: number): JsonObject {
  const socket = { protocol: "TCP", address, port_value: port };
  return {
    ...named(name),
    type: "STATIC",
    connect_timeout: "0.250s",
    lb_policy: "ROUND_ROBIN",
    load_assignment: endpoints(name, { socket_address: socket }),
  };
}

function sdsCluster(name: string, socket: string): JsonObject {
  return {
    ...named(name),
    type: "STATIC",
    connect_timeout: "1s",
    lb_policy: "ROUND_ROBIN",
    load_assignment: endpoints(name, { pipe: { path: socket } }),
    ...http2(),
  };
}

function xdsCluster(socket: string): JsonObject {
  const limits = {
    max_connections: XDS_CIRCUIT,
    max_pending_requests: XDS_CIRCUIT,
    max_requests: XDS_CIRCUIT,
  };
  return {
    ...named("xds-grpc"),
    type: "STATIC",
    connect_timeout: "1s",
    lb_policy: "ROUND_ROBIN",
    load_assignment: endpoints("xds-grpc", { pipe: { path: socket } }),
    circuit_breakers: {
      thresholds: [{ priority: "DEFAULT", ...limits }, { priority: "HIGH", ...limits }],
    },
    upstream_connection_options: { tcp_keepalive: { keepalive_time: XDS_KEEPALIVE_S } },
    max_requests_per_connection: 1,
    ...http2({
      initial_stream_window_size: XDS_WINDOW_BYTES,
      initial_connection_window_size: XDS_WINDOW_BYTES,
    }),
  };
}

/** A cluster of an external service, resolved by DNS in the families of the workload. */
export function dnsCluster(
  name: string,
  target: { readonly host: string; readonly port: number; readonly families: Families },
  more: JsonObject = {},
): JsonObject {
  const socket = { address: target.host, port_value: target.port };
  return {
    ...named(name),
    type: "STRICT_DNS",
    respect_dns_ttl: true,
    dns_lookup_family: lookupFamily(target.families, target.host),
    connect_timeout: "1s",
    lb_policy: "ROUND_ROBIN",
    load_assignment: endpoints(name, { socket_address: socket }),
    ...more,
  };
}

/** Requests that a listener forwards. */
interface Forwarded {
  readonly statPrefix: string;
  /** Prefix of the paths that are forwarded; others are answered with 404. */
  readonly path: string;
  readonly cluster: string;
  /** HTTP filters before the router. */
  readonly filters: readonly JsonObject[];
  /** True: the listener is on loopback. */
  readonly local: boolean;
}

function listener(
  input: StaticInput,
  port: number,
  forwarded: Forwarded,
): JsonObject {
  const [own, ...others] = listenerAddresses(input.families, forwarded.local);
  const socket = (address: string) => ({ protocol: "TCP", address, port_value: port });
  const second: JsonObject = others.length === 0 ? {} : {
    additional_addresses: others.map((address) => ({
      address: { socket_address: socket(address) },
    })),
  };
  return {
    name: `${own}_${port}`,
    address: { socket_address: socket(own) },
    ...second,
    ignore_global_conn_limit: true,
    bypass_overload_manager: input.bypassOverload,
    filter_chains: [{ filters: [connectionManager(forwarded)] }],
  };
}

function connectionManager({ statPrefix, path, cluster, filters }: Forwarded): JsonObject {
  const routes = [{ match: { prefix: path }, route: { cluster } }];
  return {
    name: "envoy.filters.network.http_connection_manager",
    typed_config: {
      "@type": `${TYPE}extensions.filters.network.http_connection_manager.v3.HttpConnectionManager`,
      codec_type: "AUTO",
      stat_prefix: statPrefix,
      route_config: { virtual_hosts: [{ name: "backend", domains: ["*"], routes }] },
      http_filters: [...filters, {
        name: "envoy.filters.http.router",
        typed_config: { "@type": `${TYPE}extensions.filters.http.router.v3.Router` },
      }],
    },
  };
}

const COMPRESSORS = {
  brotli: "brotli.compressor.v3.Brotli",
  gzip: "gzip.compressor.v3.Gzip",
  zstd: "zstd.compressor.v3.Zstd",
};

function compressor(kind: StaticInput["compression"]): JsonObject[] {
  if (kind === undefined) return [];
  return [{
    name: "envoy.filters.http.compressor",
    typed_config: {
      "@type": `${TYPE}extensions.filters.http.compressor.v3.Compressor`,
      compressor_library: {
        name: "text_optimized",
        typed_config: { "@type": `${TYPE}extensions.compression.${COMPRESSORS[kind]}` },
      },
    },
  }];
}
