/**
 * Clusters of the local workload.
 *
 * @module
 */
import {
  type Cluster,
  Cluster_DiscoveryType as DiscoveryType,
  Cluster_LbPolicy as LbPolicy,
  ClusterSchema,
} from "#envoy/config/cluster/v3/cluster_pb.ts";
import type { ConnectionPoolSettings } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { Service, ServicePort } from "../../model/mod.ts";
import { create, type JsonObject, type MessageInitShape } from "../../../kit/proto/mod.ts";
import {
  applyConnectionPool,
  applyHttpOptions,
  type InboundDefaults,
  upstreamHttp,
} from "../cluster_options/mod.ts";
import {
  configObject,
  inboundClusterName,
  meshMetadata,
  ownSource,
  pipeOrSocket,
  splitHostPort,
  UNIX_PREFIX,
} from "../core/mod.ts";
import { serviceMetadata } from "./service_metadata.ts";
import { statisticsName } from "./stat_name.ts";

/** Destination of an inbound cluster. */
export type InboundTarget =
  /** The original destination, with another port if one is given. */
  | { readonly kind: "original"; readonly port?: number }
  /** An IP address and port, or `unix:///path` and port 0. */
  | { readonly kind: "address"; readonly host: string; readonly port: number };

/** The cluster of one port of the workload. */
export interface InboundClusterInput {
  /** Port of the connections: the workload's port, or the port of a Sidecar ingress listener. */
  readonly port: number;
  readonly protocol: ServicePort["protocol"];
  readonly target: InboundTarget;
  /** Services that the port serves, for metadata. */
  readonly services: readonly Pick<Service, "host" | "namespace">[];
  /** The port of the first service; `undefined`: there is none, or a Sidecar defines the port. */
  readonly servicePort?: Pick<ServicePort, "number" | "name">;
  /** The connection pool of the Sidecar, else of the service's rule. */
  readonly connectionPool?: ConnectionPoolSettings;
  /** Key of that rule, `namespace/name`. */
  readonly rule?: string;
  readonly mesh: InboundDefaults;
}

function counted({ services: [service], servicePort: port }: InboundClusterInput) {
  return service && port && { service, port, subset: "" };
}

/** Builds `inbound|PORT||`. */
export function buildInboundCluster(input: InboundClusterInput): Cluster {
  const { target, mesh, connectionPool } = input;
  const name = inboundClusterName(input.port);
  const cluster = create(ClusterSchema, {
    name,
    altStatName: statisticsName(mesh.statNames?.inbound ?? "", name, counted(input)),
    metadata: metadataOf(input),
    ...(target.kind === "original" ? originalDestination(target.port) : fixed(name, target)),
  });
  if (needsOwnSource(target)) cluster.upstreamBindConfig = ownSource(mesh.family);
  applyConnectionPool(cluster, mesh, { pool: connectionPool });
  const port = { number: input.port, name: "", targetPort: input.port, protocol: input.protocol };
  applyHttpOptions(cluster, upstreamHttp(port, connectionPool, false, true), connectionPool);
  return cluster;
}

type ClusterInit = MessageInitShape<typeof ClusterSchema>;

function originalDestination(port: number | undefined): ClusterInit {
  return {
    clusterDiscoveryType: { case: "type", value: DiscoveryType.ORIGINAL_DST },
    lbPolicy: LbPolicy.CLUSTER_PROVIDED,
    lbConfig: port === undefined
      ? undefined
      : { case: "originalDstLbConfig", value: { upstreamPortOverride: port } },
  };
}

function fixed(
  clusterName: string,
  to: { readonly host: string; readonly port: number },
): ClusterInit {
  const address = pipeOrSocket(to.host, to.port);
  return {
    clusterDiscoveryType: { case: "type", value: DiscoveryType.STATIC },
    loadAssignment: {
      clusterName,
      endpoints: [{
        lbEndpoints: [{ hostIdentifier: { case: "endpoint", value: { address } } }],
      }],
    },
  };
}

function metadataOf(input: InboundClusterInput): Cluster["metadata"] {
  const fields: JsonObject = {};
  if (input.rule !== undefined) Object.assign(fields, configObject("DestinationRule", input.rule));
  if (input.mesh.telemetryLabel && input.services.length > 0) {
    fields.services = input.services.map(serviceMetadata);
    fields.service = serviceMetadata(input.services[0]!);
  }
  return Object.keys(fields).length === 0 ? undefined : meshMetadata(fields);
}

/** Loopback addresses and sockets are never captured. */
function needsOwnSource(target: InboundTarget): boolean {
  if (target.kind === "original") return true;
  const { host } = target;
  return host !== "127.0.0.1" && host !== "::1" && !host.startsWith(UNIX_PREFIX);
}

/**
 * Parses `defaultEndpoint` of an ingress listener: `127.0.0.1:PORT` and `[::1]:PORT` are the
 * loopback address, `0.0.0.0:PORT` and `[::]:PORT` the workload's own address, `unix:///path` a
 * socket. Empty or invalid: the original destination.
 *
 * @param instanceIp the workload's own address of a family, needed if traffic is not captured.
 * Captured connections have that address as original destination, so the proxies of a class share
 * the cluster.
 */
export function parseDefaultEndpoint(
  text: string,
  instanceIp?: (family: 4 | 6) => string | undefined,
): InboundTarget {
  if (text.startsWith(UNIX_PREFIX)) return { kind: "address", host: text, port: 0 };
  const address = splitHostPort(text);
  if (address === undefined) return { kind: "original" };
  const { host, port } = address;
  if (host !== "0.0.0.0" && host !== "::") return { kind: "address", host, port };
  const own = instanceIp?.(host === "::" ? 6 : 4);
  return own === undefined ? { kind: "original", port } : { kind: "address", host: own, port };
}
