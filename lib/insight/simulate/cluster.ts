/**
 * Destination of a cluster's connections.
 *
 * @module
 */
import { TUNNEL_KEYS, TUNNEL_METADATA } from "../../mesh/envoy/mod.ts";
import { parseClusterName } from "../../mesh/model/mod.ts";
import type { Address } from "#envoy/config/core/v3/address_pb.ts";
import { HealthStatus } from "#envoy/config/core/v3/health_check_pb.ts";
import type { TransportSocket } from "#envoy/config/core/v3/base_pb.ts";
import { type Cluster, Cluster_DiscoveryType } from "#envoy/config/cluster/v3/cluster_pb.ts";
import type { LbEndpoint } from "#envoy/config/endpoint/v3/endpoint_components_pb.ts";
import { InternalUpstreamTransportSchema } from "#envoy/extensions/transport_sockets/internal_upstream/v3/internal_upstream_pb.ts";
import { UpstreamTlsContextSchema } from "#envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { type Journey, note } from "./journey.ts";
import { unpack } from "./resources.ts";
import type { Ending, Sent, Target, Upstream } from "./verdict.ts";

const ORIGINAL = Cluster_DiscoveryType.ORIGINAL_DST;

/** A request to forward. */
interface Forwarded {
  readonly request?: Sent;
  /** Status of the answer if the cluster does not exist. */
  readonly absent?: number;
}

/** Sends a call to a cluster. */
export function forward(
  journey: Journey,
  name: string,
  as: "HTTP" | "TCP",
  { request, absent = 503 }: Forwarded = {},
): Ending {
  const fail = (why: string, status = 503): Ending =>
    as === "HTTP"
      ? { share: 1, kind: "answered", status, by: `cluster ${name}`, why }
      : { share: 1, kind: "closed", by: `cluster ${name}`, why };
  const cluster = journey.resources.cluster(name);
  if (cluster === undefined) {
    note(journey, "cluster", name, "is not there");
    return fail("there is no such cluster", absent);
  }
  const upstream = upstreamOf(cluster, journey);
  const { discovery, endpoints } = upstream;
  const healthy = endpoints.filter((one) => one.healthy);
  note(
    journey,
    "cluster",
    name,
    `${discovery}, ${endpoints.length} endpoints${
      healthy.length === endpoints.length ? "" : `, ${healthy.length} of them healthy`
    }`,
  );
  if (endpoints.length === 0) return fail("it has no endpoints");
  if (healthy.length === 0) {
    if (cluster.commonLbConfig?.healthyPanicThreshold?.value === 0) {
      return fail("none of its endpoints is healthy");
    }
    journey.unmodelled.add(`${name}: panic, none of its endpoints is healthy`);
  }
  for (const { address, priority, weight, tls } of endpoints.slice(0, SHOWN)) {
    note(journey, "endpoint", address, `priority ${priority}, weight ${weight}, ${tls}`);
  }
  const subset = parseClusterName(name)?.subset ?? "";
  return { share: 1, kind: "forwarded", as, cluster: name, subset, upstream, request };
}

/** Maximum number of endpoints in a step; the ending has all. */
const SHOWN = 8;

function upstreamOf(cluster: Cluster, journey: Journey): Upstream {
  const { clusterDiscoveryType: type } = cluster;
  if (type.case === "clusterType") {
    journey.unmodelled.add(`cluster type ${type.value.name}`);
    return { discovery: type.value.name, endpoints: [] };
  }
  const discovery = Cluster_DiscoveryType[type.value ?? Cluster_DiscoveryType.STATIC];
  if (type.value === ORIGINAL) {
    const { ip, port } = journey.call.destination;
    const fixed = cluster.lbConfig.case === "originalDstLbConfig" &&
      cluster.lbConfig.value.upstreamPortOverride;
    const endpoint = {
      address: hostPort(ip, fixed || port),
      weight: 1,
      priority: 0,
      locality: "",
      healthy: true,
      ...securityOf(cluster, undefined),
    };
    return { discovery, endpoints: [endpoint] };
  }
  const assignment = type.value === Cluster_DiscoveryType.EDS
    ? journey.resources.endpoints(cluster.edsClusterConfig?.serviceName || cluster.name)
    : cluster.loadAssignment;
  const endpoints = (assignment?.endpoints ?? []).flatMap((group) => {
    const { region = "", zone = "", subZone = "" } = group.locality ?? {};
    const locality = [region, zone, subZone].join("/").replace(/\/+$/, "");
    return group.lbEndpoints.map((one): Target => ({
      address: tunnelOf(one)?.to ?? addressOf(one),
      weight: (one.loadBalancingWeight ?? 1) * (group.loadBalancingWeight ?? 1),
      priority: group.priority,
      locality,
      healthy: one.healthStatus === HealthStatus.UNKNOWN ||
        one.healthStatus === HealthStatus.HEALTHY || one.healthStatus === HealthStatus.DEGRADED,
      ...securityOf(cluster, one),
      ...tunnelled(one),
    }));
  });
  return { discovery, endpoints };
}

/** The tunnel to an endpoint, with the `address:port` that it leads to. */
function tunnelOf(
  { metadata }: LbEndpoint,
): { to: string; waypoint: string; across: string; gateways: string[] } | undefined {
  const about = metadata?.filterMetadata[TUNNEL_METADATA];
  const to = about?.[TUNNEL_KEYS.to];
  const waypoint = about?.[TUNNEL_KEYS.waypoint];
  if (typeof to !== "string") return undefined;
  const across = about?.[TUNNEL_KEYS.service];
  const gateways = about?.[TUNNEL_KEYS.gateway];
  return {
    to,
    waypoint: typeof waypoint === "string" ? waypoint : "",
    across: typeof across === "string" ? across : "",
    gateways: typeof gateways === "string" && gateways !== "" ? gateways.split(",") : [],
  };
}

function tunnelled(endpoint: LbEndpoint): Pick<Target, "tls" | "tunnel"> | undefined {
  const tunnel = tunnelOf(endpoint);
  if (tunnel === undefined) return undefined;
  const through = tunnel.waypoint === "" ? "" : ` of the waypoint ${tunnel.waypoint}`;
  const { waypoint, across, gateways } = tunnel;
  return {
    tls: across === "" ? `tunnel${through}` : `tunnel to ${across} in another network`,
    tunnel: { waypoint, ...(across === "" ? {} : { across, gateways }) },
  };
}

function addressOf({ hostIdentifier: id }: LbEndpoint): string {
  return id.case === "endpoint" ? textOf(id.value.address) : id.value ?? "";
}

function textOf(address: Address | undefined): string {
  switch (address?.address.case) {
    case "socketAddress":
      return hostPort(
        address.address.value.address,
        Number(address.address.value.portSpecifier.value ?? 0),
      );
    case "pipe":
      return address.address.value.path;
    default:
      return address?.address.case ?? "";
  }
}

function hostPort(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}

const MATCH_KEY = "envoy.transport_socket_match";

/** Returns the TLS of connections to an endpoint: the first match of its metadata applies. */
function securityOf(
  cluster: Cluster,
  endpoint: LbEndpoint | undefined,
): Pick<Target, "tls" | "handshake"> {
  const has = endpoint?.metadata?.filterMetadata[MATCH_KEY] ?? {};
  const found = cluster.transportSocketMatches.find(({ match = {} }) =>
    Object.entries(match).every(([key, value]) => has[key] === value)
  );
  return handshake(found === undefined ? cluster.transportSocket : found.transportSocket);
}

function handshake(socket: TransportSocket | undefined): Pick<Target, "tls" | "handshake"> {
  if (socket === undefined || socket.name === "envoy.transport_sockets.raw_buffer") {
    return { tls: "plaintext" };
  }
  const inside = unpack(InternalUpstreamTransportSchema, socket.configType.value);
  if (inside !== undefined) return handshake(inside.transportSocket);
  const context = unpack(UpstreamTlsContextSchema, socket.configType.value);
  if (context === undefined) return { tls: socket.name };
  const common = context.commonTlsContext;
  const mutual = (common?.tlsCertificates.length ?? 0) > 0 ||
    (common?.tlsCertificateSdsSecretConfigs.length ?? 0) > 0;
  const name = context.sni === "" ? "" : ` for ${context.sni}`;
  return {
    tls: `${mutual ? "mutual TLS" : "TLS"}${name}`,
    handshake: { serverName: context.sni, alpn: common?.alpnProtocols ?? [], mutual },
  };
}
