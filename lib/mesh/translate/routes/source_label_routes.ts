/**
 * Routes for clients with certain source labels: the virtual hosts that differ from those of the
 * namespace, and the route tables that contain them. A class that no such rule matches has none, and
 * shares the route tables of its namespace.
 *
 * @module
 */
import { type LabelsKey, labelsKeys } from "../../derive/mod.ts";
import { hostPort } from "../../envoy/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import type { Context } from "../context/mod.ts";
import { virtualHost } from "../destinations/mod.ts";
import { type HostPort, hostPorts, resourceTable, sameResources } from "../resources/mod.ts";
import {
  clientHostKeys,
  clientPortKeys,
  clientTableHostKeys,
  clientTableKeys,
  type PlainRoutes,
  sidecarClientsKeys,
  type SourceLabelRoutes,
  type VirtualHostKey,
} from "./keys.ts";
import type { EgressHost } from "../egress/mod.ts";
import { inTable, partsOf } from "./on_demand_hosts.ts";
import { routedPorts } from "./routed_hosts.ts";
import { assembleTable, followHosts, hostOfName, tableSettings } from "./tables.ts";

/** Creates the tables. */
export function deriveSourceLabelRoutes(context: Context, plain: PlainRoutes): SourceLabelRoutes {
  const { graph } = context.mesh;
  const hosts = resourceTable(graph, "vhost.sourceLabels", clientHostKeys, (read, key) => {
    const { namespace, port, host, labels } = key;
    const inside = read.within(hostPort(host, port));
    const client = { namespace, labels: labels };
    const resource = virtualHost(inside, context, client, { host, port });
    return resource === undefined ? [] : [resource];
  });
  const differing = deriveDiffering(context, hosts, plain.virtualHosts);
  return {
    hosts,
    differing,
    ...derivePortTables(context, plain, { hosts, differing }),
    parts: resourceTable(graph, "vhds.sourceLabels", clientHostKeys, (read, key) => {
      const table = `${key.port}`;
      return partsOf(table, key.host, read.mapped(inTable(table)).follow(hosts, key));
    }),
    ...deriveEgressTables(context, plain, { hosts, differing }),
    egressParts: resourceTable(
      graph,
      "vhds.sourceLabels.egress",
      clientTableHostKeys,
      (read, key) => {
        const { table, ...mine } = key;
        return partsOf(table, key.host, read.mapped(inTable(table)).follow(hosts, mine));
      },
    ),
  };
}

type Own = Pick<SourceLabelRoutes, "hosts" | "differing">;

/** The virtual hosts that differ for clients with certain labels. */
function deriveDiffering(
  context: Context,
  hosts: Own["hosts"],
  virtualHosts: PlainRoutes["virtualHosts"],
): Own["differing"] {
  const { mesh } = context;
  return mesh.graph.derive(
    "sourceLabels.positions",
    labelsKeys,
    (read, { namespace, labels }) =>
      read.get(mesh.scopes.sourceLabelHosts, namespace).flatMap((host): HostPort[] =>
        routedPorts(read, context, { namespace, host }).map((port) => ({ host, port }))
      ).filter((at) =>
        !sameResources(
          read.get(hosts, { namespace, ...at, labels }),
          read.get(virtualHosts, { namespace, ...at }),
        )
      ),
  );
}

/** The route tables of ports. */
function derivePortTables(
  context: Context,
  plain: PlainRoutes,
  { hosts, differing }: Own,
): Pick<SourceLabelRoutes, "ports" | "tables"> {
  const { graph, indexes } = context.mesh;
  return {
    ports: graph.derive("sourceLabels.ports", labelsKeys, (read, key) => {
      // A host without a service is served where its port has a route table.
      const isServed = (port: number): boolean =>
        ["", key.namespace].some((ns) => read.members(indexes.httpPortsSeenBy, ns).includes(port));
      const ports = new Set(read.get(differing, key).map(({ port }) => port));
      return [...ports].filter(isServed).sort((a, b) => a - b);
    }),
    tables: resourceTable(graph, "rds.sourceLabels", clientPortKeys, (read, key) => {
      const { namespace, port, labels } = key;
      const own = read.get(differing, { namespace, labels }).filter((at) => at.port === port);
      const all = plain.tables.hostsOf(read, key);
      return tableFor(read, context, plain, {
        name: `${port}`,
        sidecar: "",
        key,
        all: withOwn(read.within(`${port}`), hosts, key, { own, all }),
      });
    }),
  };
}

/** The route tables of egress listeners. */
function deriveEgressTables(
  context: Context,
  plain: PlainRoutes,
  { hosts, differing }: Own,
): Pick<SourceLabelRoutes, "egressDiffering" | "egressMembers" | "egressTables"> {
  const { graph } = context.mesh;
  const { egress } = plain;
  const egressDiffering = graph.derive(
    "sourceLabels.egressPositions",
    sidecarClientsKeys,
    (read, { namespace, sidecar, labels }): readonly EgressHost[] => {
      const texts = read.get(differing, { namespace, labels }).map((at) => hostPorts.encode(at));
      if (texts.length === 0) return [];
      const differ = new Set(texts);
      return read.get(egress.virtualHostMembers, { namespace, sidecar })
        .filter(({ host, port }) => differ.has(hostPorts.encode({ host, port })));
    },
  );
  return {
    egressDiffering,
    egressMembers: graph.derive("sourceLabels.listeners", sidecarClientsKeys, (read, key) => {
      const { namespace, sidecar } = key;
      const differ = read.get(egressDiffering, key);
      if (differ.length === 0) return [];
      return read.get(egress.routeMembers, { namespace, sidecar }).filter(({ port, table }) =>
        differ.some((one) => one.port === port && one.table === table)
      );
    }),
    egressTables: resourceTable(graph, "rds.sourceLabels.egress", clientTableKeys, (read, key) => {
      const { namespace, sidecar, listener, port, table, labels } = key;
      const imported = new Set(read.get(egress.httpHosts, { namespace, sidecar, listener, port }));
      const own = read.get(differing, { namespace, labels })
        .filter((at) => at.port === port && imported.has(at.host));
      const all = plain.tables.egressHostsOf(read, key);
      return tableFor(read, context, plain, {
        name: table,
        sidecar,
        key,
        all: withOwn(read.within(table), hosts, key, { own, all }),
      });
    }),
  };
}

/** Virtual hosts of a route table, by name. */
interface Hosts {
  readonly all: Map<string, Resource>;
  /** Names of those that differ for the clients. */
  readonly own: ReadonlySet<string>;
}

/** Replaces virtual hosts by those with the same name that differ for certain clients. */
function withOwn(
  inside: Read,
  hosts: Own["hosts"],
  { namespace, labels }: LabelsKey,
  { own, all }: { readonly own: readonly HostPort[]; readonly all: Map<string, Resource> },
): Hosts {
  const names = new Set<string>();
  for (const at of own) {
    for (const one of inside.follow(hosts, { namespace, ...at, labels })) {
      all.set(one.name, one);
      names.add(one.name);
    }
  }
  return { all, own: names };
}

/** Assembles a route table for certain clients. */
function tableFor(
  read: Read,
  context: Context,
  plain: PlainRoutes,
  { name, sidecar, key: { namespace, port }, all: { all, own } }: {
    readonly name: string;
    readonly sidecar: string;
    readonly key: { readonly namespace: string; readonly port: number };
    readonly all: Hosts;
  },
): readonly Resource[] {
  const inside = read.within(name);
  const others = [...all.keys()].filter((one) => !own.has(one));
  const keyOf = (one: string): VirtualHostKey => ({ namespace, port, host: hostOfName(one) });
  followHosts(inside, plain.virtualHosts, others, keyOf);
  return [assembleTable(name, all.values(), tableSettings(inside, context, sidecar))];
}
