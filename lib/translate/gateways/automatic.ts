/**
 * Gateways between networks: servers of mode `AUTO_PASSTHROUGH` send connections
 * on, mutual TLS and all, to the cluster that their TLS server name tells.
 *
 * @module
 */
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { canonicalJson } from "../../base/mod.ts";
import {
  covers,
  deriveTelling,
  type GatewayServer,
  labelsKeys,
  localityKeys,
  lookUp,
  ruleKeys,
  type Tell,
} from "../../derive/mod.ts";
import {
  clusterName,
  dnsSrvClusterName,
  type GatewayTlsChain,
  parseClusterName,
} from "../../envoy/mod.ts";
import type { Derived, Read, Resource } from "../../graph/mod.ts";
import { type Service, serviceKeys } from "../../model/mod.ts";
import { fromBinary } from "../../proto/mod.ts";
import { type Context, pick } from "../context/mod.ts";
import { encodeResource, sameResources, splitKey } from "../resources/mod.ts";

/** The tables about such servers. */
export interface AutomaticTables {
  /** `NS|scope` → hosts that the gateway's servers send connections on to. */
  readonly hosts: Derived<readonly string[]>;
  /** `family|NS|host` → clusters of the host, by server names. */
  readonly clusters: Derived<readonly Resource[]>;
  /** `NS|host|place` → their endpoints: those of the gateway's own network. */
  readonly assignments: Derived<readonly Resource[]>;
}

/**
 * Creates the tables.
 *
 * @param outbound `kind|NS|host` → clusters of the host, by their usual names
 * @param endpoints the same for their endpoints; the key without `kind`
 * @param placed what is different of these from a place; `|place` at the end of the key
 */
export function deriveAutomatic(
  context: Context,
  outbound: Derived<readonly Resource[]>,
  endpoints: Derived<readonly Resource[]>,
  placed: Derived<readonly Resource[]>,
): AutomaticTables {
  const { mesh } = context;
  return {
    hosts: mesh.graph.derive<readonly string[]>("gateway.automaticHosts", (read, key) => {
      const [namespace = "", scope = ""] = splitKey(key, 2);
      const servers = read.get(mesh.gatewayPorts, labelsKeys.decode(scope))
        .flatMap((port) => port.servers.filter(({ kind }) => kind === "auto"));
      if (servers.length === 0) return [];
      const hosts = servers.flatMap((s) =>
        servedBy(read, context, namespace, s).map(({ host }) => host)
      );
      return [...new Set(hosts)].sort();
    }),
    clusters: deriveTelling<readonly Resource[]>(
      mesh.graph,
      "cds.automatic",
      (read, key, tell) => lookUp(read, outbound, key, byServerName(tell)).map(clusterByServerName),
      { equal: sameResources },
    ),
    assignments: deriveTelling<readonly Resource[]>(
      mesh.graph,
      "eds.automatic",
      (read, key, tell) => {
        const [namespace = "", host = "", place = ""] = splitKey(key, 3);
        const heard = byServerName(tell);
        const everywhere = lookUp(read, endpoints, `${namespace}|${host}`, heard);
        const here = place === ""
          ? []
          : lookUp(read, placed, `${namespace}|${host}|${place}`, heard);
        const differing = new Map(here.map((resource) => [resource.name, resource]));
        return everywhere.map((resource) => differing.get(resource.name) ?? resource)
          .map(endpointsByServerName);
      },
      { equal: sameResources },
    ),
  };
}

/**
 * The place of a gateway that sends on by server name, as a key: of networks it sees
 * its own alone, because what it is sent was meant for that.
 */
export function automaticPlace(place: string): string {
  if (place === "") return "";
  const at = localityKeys.decode(place);
  return at.network === "" ? place : canonicalJson({ ...at, view: [at.network] });
}

function serverName(name: string): string {
  const { direction, port, subset, host } = parseClusterName(name)!;
  return dnsSrvClusterName(direction, port, subset, host);
}

/** Tells of a cluster under the name that it has here. */
function byServerName(tell: Tell | undefined): Tell | undefined {
  return tell &&
    (({ of: [name, ...parts] = [], ...told }) =>
      tell({ ...told, of: name === undefined ? [] : [renamed(name), ...parts] }));
}

function renamed(name: string): string {
  return parseClusterName(name) === undefined ? name : serverName(name);
}

/**
 * A cluster without anything that looks into connections or wraps them. Its
 * endpoints go by its own name: Envoy does not ask again for some that it has.
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

/** A chain for each port and subset of the services that a server is for. */
export function automaticChains(
  read: Read,
  context: Context,
  namespace: string,
  server: GatewayServer,
  tell: Tell | undefined,
): GatewayTlsChain[] {
  return servedBy(read, context, namespace, server).flatMap((service) => {
    const rules = pick(read, context, namespace, service.host)?.rules;
    const policy = rules === undefined
      ? undefined
      : read.get(context.mesh.policies.policy, ruleKeys.decode(rules));
    const subsets = ["", ...policy?.subsets.map(({ name }) => name) ?? []];
    tell?.({ group: "to", source: "object", object: service.source, value: service.host });
    for (const rule of policy?.subsets.length ? policy.rules : []) {
      tell?.({
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
        return { sniHosts: tcp.sniHosts, to: { tcp } };
      })
    );
  });
}

/** Services of the mesh that the gateway's namespace sees and a server's hosts cover. */
function servedBy(
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
    const key = pick(read, context, namespace, host)?.service;
    const service = key === undefined
      ? undefined
      : read.get(mesh.services.service, serviceKeys.decode(key));
    if (service === undefined || service.meshExternal || service.resolution === "NONE") return [];
    const accepted = hosts.some((h) =>
      covers(h.host, host) && (h.namespace === "*" || h.namespace === service.namespace)
    );
    return accepted ? [service] : [];
  });
}
