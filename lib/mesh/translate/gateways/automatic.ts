/**
 * Gateways between networks. Servers of mode `AUTO_PASSTHROUGH` forward connections with their mutual
 * TLS to the cluster that the TLS server name stands for.
 *
 * @module
 */
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import type { RecordedDecision } from "../../../kit/base/mod.ts";
import type { GatewayServer, HostKey } from "../../derive/mod.ts";
import {
  clusterName,
  dnsSrvClusterName,
  type GatewayTlsChain,
  MESH_ALPN,
  MESH_HTTP_ALPNS,
} from "../../envoy/mod.ts";
import { parseClusterName } from "../../model/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import { covers, type Service } from "../../model/mod.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { findServiceRules } from "../context/mod.ts";
import type { Context } from "./features.ts";
import {
  type ByLocality,
  type ClusterTable,
  encodeResource,
  resourceTable,
} from "../resources/mod.ts";
import { automaticHostKeys, type AutomaticTables, gatewayKeys } from "./keys.ts";

/** Creates the tables from the clusters and endpoints with the usual names. */
export function deriveAutomatic<C>(
  context: Context,
  outbound: ClusterTable<C>,
  endpoints: ByLocality<HostKey>,
): AutomaticTables<C> {
  const { mesh } = context;
  return {
    hosts: mesh.graph.derive("gateway.automaticHosts", gatewayKeys, (read, key) => {
      const { namespace, scope } = key;
      const servers = read.get(mesh.gatewayPorts, scope)
        .flatMap((port) => port.servers.filter(({ kind }) => kind === "auto"));
      if (servers.length === 0) return [];
      const hosts = servers.flatMap((s) =>
        servicesOf(read, context, namespace, s).map(({ host }) => host)
      );
      return [...new Set(hosts)].sort();
    }),
    clusters: resourceTable(
      mesh.graph,
      "cds.automatic",
      outbound.keyCodec,
      (read, key) =>
        read.mapped(byServerName).follow<readonly Resource[], C>(outbound, key).map(
          clusterByServerName,
        ),
    ),
    endpoints: resourceTable(mesh.graph, "eds.automatic", automaticHostKeys, (read, key) => {
      const { locality, ...seen } = key;
      const renaming = read.mapped(byServerName);
      const everywhere = renaming.follow(endpoints.base, seen);
      const here = locality === "" ? [] : renaming.follow(endpoints.local, key);
      const differing = new Map(here.map((resource) => [resource.name, resource]));
      return everywhere.map((resource) => differing.get(resource.name) ?? resource)
        .map(endpointsByServerName);
    }),
  };
}

function serverName(name: string): string {
  const { direction, port, subset, host } = parseClusterName(name)!;
  return dnsSrvClusterName(direction, port, subset, host);
}

/** Renames the cluster of a decision. */
function byServerName(
  { of: [name, ...parts] = [], ...decision }: RecordedDecision,
): RecordedDecision {
  return { ...decision, of: name === undefined ? [] : [renamed(name), ...parts] };
}

function renamed(name: string): string {
  return parseClusterName(name) === undefined ? name : serverName(name);
}

/**
 * A cluster that neither inspects nor wraps connections. It has endpoints of its own name: Envoy does
 * not subscribe again to endpoints that it has.
 */
function clusterByServerName({ name, bytes }: Resource): Resource {
  const cluster = fromBinary(ClusterSchema, bytes);
  cluster.name = serverName(name);
  if (cluster.edsClusterConfig !== undefined) cluster.edsClusterConfig.serviceName = cluster.name;
  cluster.altStatName = "";
  cluster.transportSocket = undefined;
  cluster.transportSocketMatches = [];
  cluster.typedExtensionProtocolOptions = {};
  return encodeResource(cluster.name, ClusterSchema, cluster);
}

function endpointsByServerName({ name, bytes }: Resource): Resource {
  const assignment = fromBinary(ClusterLoadAssignmentSchema, bytes);
  assignment.clusterName = serverName(name);
  return encodeResource(assignment.clusterName, ClusterLoadAssignmentSchema, assignment);
}

/**
 * ALPN protocols of which every connection of the mesh's mutual TLS offers one. The server cannot
 * authenticate clients, because it does not terminate their TLS; clients outside of the mesh, which
 * may reach workloads that accept plain TLS, offer none of these.
 */
const MUTUAL_TLS_ALPNS = [MESH_ALPN, ...MESH_HTTP_ALPNS];

/** A chain for each port and subset of the services of a server. */
export function automaticChains(
  read: Read,
  context: Context,
  namespace: string,
  server: GatewayServer,
): GatewayTlsChain[] {
  return servicesOf(read, context, namespace, server).flatMap((service) => {
    const rules = findServiceRules(read, context, { namespace }, service.host)?.rules;
    const policy = rules === undefined ? undefined : read.get(context.mesh.policies.policy, rules);
    const subsets = ["", ...policy?.subsets.map(({ name }) => name) ?? []];
    read.decide?.({ group: "to", source: "object", object: service.source, value: service.host });
    for (const rule of policy?.subsets.length ? policy.rules : []) {
      read.decide?.({
        group: "subsets",
        source: "object",
        object: `DestinationRule/${rule}`,
        field: "spec.subsets",
        value: service.host,
      });
    }
    return service.ports.filter(({ protocol }) => protocol !== "UDP").flatMap(({ number }) =>
      subsets.map((subset) => {
        const sni = dnsSrvClusterName("outbound", number, subset, service.host);
        const tcp = {
          sniHosts: [sni],
          clusters: [{ cluster: sni, weight: 1 }],
          statPrefix: clusterName("outbound", number, subset, service.host),
        };
        return { sniHosts: tcp.sniHosts, alpn: MUTUAL_TLS_ALPNS, to: { tcp } };
      })
    );
  });
}

/** Services of the mesh that the gateway's namespace sees and that a server's hosts match. */
function servicesOf(
  read: Read,
  context: Context,
  namespace: string,
  { hosts }: GatewayServer,
): Service[] {
  const { mesh } = context;
  const seen = new Set([
    ...read.members(mesh.indexes.hostsSeenBy, ""),
    ...read.get(mesh.scopes.overlayHosts, namespace),
  ]);
  return [...seen].sort().flatMap((host) => {
    const key = findServiceRules(read, context, { namespace }, host)?.service;
    const service = key === undefined ? undefined : read.get(mesh.services.service, key);
    if (service === undefined || service.alias !== undefined) return [];
    // Clients of a gateway choose among the endpoints of a headless service.
    const chosen = service.resolution !== "NONE" || service.headless === true;
    if (service.meshExternal || !chosen) return [];
    const accepted = hosts.some((h) =>
      covers(h.host, host) && (h.namespace === "*" || h.namespace === service.namespace)
    );
    return accepted ? [service] : [];
  });
}
