/**
 * The clusters of a class: those of its workload, and those that every proxy has.
 *
 * @module
 */
import type { Cluster } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { MeshConfig_InboundTrafficPolicy_Mode as InboundMode } from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  blackHoleCluster,
  buildInboundCluster,
  dynamicPassthroughCluster,
  inboundPassthroughCluster,
  type InboundTarget,
  parseDefaultEndpoint,
  passthroughCluster,
} from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import { type Family, familyOf, sidecarOf, silent } from "../context/mod.ts";
import type { Context } from "./features.ts";
import { clusterDefaults } from "./defaults.ts";
import { outboundPolicy } from "../destinations/mod.ts";
import { type InboundPort, inboundPorts } from "./inbound_ports.ts";
import { tunnelClusters } from "./tunnels.ts";

/** The clusters that every gateway has. */
export function routerClusters(read: Read, context: Context, family: Family): Cluster[] {
  return [builtIn(read, blackHoleCluster(clusterDefaults(read, context, family)))];
}

/** The clusters of a sidecar's class. */
export function sidecarClusters(read: Read, context: Context, cls: ProxyClass): Cluster[] {
  const defaults = clusterDefaults(read, context, familyOf(cls));
  const mode = context.mesh.field(read, "inboundTrafficPolicy")?.mode;
  const toLoopback = mode === InboundMode.LOCALHOST;
  const policy = outboundPolicy(silent(read), context, sidecarOf(read, context, cls));
  return [
    builtIn(read, blackHoleCluster(defaults)),
    builtIn(read, passthroughCluster(defaults)),
    ...policy === "allow_dynamic_dns" ? [dynamicPassthrough(read, context, defaults)] : [],
    builtIn(read, inboundPassthroughCluster(defaults)),
    ...inboundPorts(read, context, cls).map((port) =>
      buildInboundCluster({
        port: port.number,
        protocol: port.protocol,
        target: targetOf(port, cls, toLoopback),
        services: port.services,
        servicePort: port.servicePort,
        connectionPool: port.connectionPool,
        rule: port.rule,
        mesh: defaults,
      })
    ),
    ...tunnelClusters(read, context, cls),
  ];
}

/** A cluster that every proxy of a role has, whatever is configured. */
function builtIn(read: Read, cluster: Cluster): Cluster {
  const { name } = cluster;
  read.within(name).decide?.({ group: "cluster", source: "built-in", value: name });
  return cluster;
}

/** The cluster that looks up host names of requests, with the mesh's TLS settings for it. */
function dynamicPassthrough(
  read: Read,
  { mesh }: Context,
  defaults: ReturnType<typeof clusterDefaults>,
): Cluster {
  const { tls } = mesh.field(read, "outboundTrafficPolicy") ?? {};
  const cluster = builtIn(read, dynamicPassthroughCluster(defaults, tls));
  if (tls !== undefined) {
    read.within(cluster.name).decide?.({
      group: "tls",
      source: "mesh",
      field: "outboundTrafficPolicy.tls",
      value: cluster.transportSocket === undefined ? "off" : "on",
    });
  }
  return cluster;
}

/** The workload's address of a family, where the proxy binds its ports itself; else its first address. */
function boundAt({ options }: ProxyClass, family: 4 | 6): string | undefined {
  const own = [options.BIND_IP, ...options.BIND_MORE_IPS?.split(",") ?? []];
  return own.find((ip) => ip?.includes(":") === (family === 6)) ?? own[0];
}

/**
 * The destination of a port's inbound connections: as the Sidecar says, else their original
 * destination. A proxy without redirected traffic has the workload's address itself, so that its
 * workload listens on loopback.
 *
 * @param toLoopback workloads listen on loopback everywhere (`inboundTrafficPolicy.mode: LOCALHOST`)
 */
function targetOf(port: InboundPort, cls: ProxyClass, toLoopback: boolean): InboundTarget {
  const bound = cls.interception === "NONE";
  if (port.defaultEndpoint !== "") {
    return parseDefaultEndpoint(
      port.defaultEndpoint,
      bound ? (family) => boundAt(cls, family) : undefined,
    );
  }
  if (!bound && !toLoopback) return { kind: "original" };
  return {
    kind: "address",
    host: cls.ipv4 || !cls.ipv6 ? "127.0.0.1" : "::1",
    port: port.number,
  };
}
