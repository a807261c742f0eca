/**
 * Indexes over the input tables: who is concerned by which object.
 *
 * @module
 */
import type { Graph, Index } from "../graph/mod.ts";
import { type ConfigObject, isHttp, mayBeHttp, mayBeTcp } from "../model/mod.ts";
import type { ServiceEntry } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { WorkloadEntry } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import { groupOf, isGivenAddress } from "./addresses.ts";
import { coveringPatterns, fullHost } from "./hosts.ts";
import { type PolicyIndexes, policyIndexes } from "./policy_indexes.ts";
import { protocolOf } from "./protocol.ts";
import {
  boundToMesh,
  destinationsOf,
  gatewayKey,
  isParticular,
  selectsConnections,
  selectsLabels,
} from "./route_names.ts";
import { addressMembers, isHeadless, listenerMembers } from "./listener_members.ts";
import type { Tables } from "./tables.ts";
import { visibilityOf } from "./visibility.ts";

/**
 * Indexes over the tables. Buckets are named in the comments; `NS` is a
 * namespace, and `""` in its place what everybody sees.
 */
export interface Indexes extends PolicyIndexes {
  /** host → keys of the ServiceEntries that define it. */
  readonly entriesByHost: Index;
  /** `""` or `NS` → hosts defined for everybody, or for that namespace (its own ones among them). */
  readonly hostsSeenBy: Index;
  /** NS → hosts that ServiceEntries of that namespace define; `*` → all hosts. */
  readonly hostsByNamespace: Index;
  /** pattern → hosts below it. */
  readonly hostsByPattern: Index;
  /**
   * `""` or `NS` → listener members: `port/PORT`, `vip/PORT/HOST`. `given/` and the same: those of
   * hosts that are given addresses, for the proxies that use them.
   */
  readonly listenersSeenBy: Index;
  /** `""` or `NS` → numbers of ports that may carry HTTP. */
  readonly httpPortsSeenBy: Index;
  /** `NS|PORT` (`|PORT` for everybody) → hosts with a port of that number that may carry HTTP. */
  readonly httpHosts: Index;
  /** `NS|PORT` → the port's number, if a service declares HTTP there. */
  readonly declaredHttp: Index;
  /** `NS|PORT` → hosts with a port of that number that may carry what is no HTTP. */
  readonly tcpHosts: Index;
  /** Number of a group → hosts that are given an address of it. */
  readonly givenHosts: Index;
  /** Number of a port → hosts of headless services that have it. */
  readonly headlessHosts: Index;
  /** virtual address → hosts that have it. */
  readonly hostsByVip: Index;
  /** address → keys of the ServiceEntries with that endpoint. */
  readonly entriesByAddress: Index;
  /** `NS` → keys of the ServiceEntries that select workloads there. */
  readonly selectingEntries: Index;
  /** `NS|label=value` → keys of WorkloadEntries. */
  readonly workloadsByLabel: Index;
  /** `NS` → keys of WorkloadEntries. */
  readonly workloadsByNamespace: Index;
  /** address → keys of WorkloadEntries. */
  readonly workloadsByAddress: Index;
  /** host or pattern → keys of the VirtualServices of the mesh that name it. */
  readonly meshRoutesByHost: Index;
  /** `""` or `NS` → hosts and patterns of the mesh's VirtualServices. */
  readonly meshRouteHostsSeenBy: Index;
  /** destination → hosts and patterns of the mesh's VirtualServices that send to it. */
  readonly routeHostsByDestination: Index;
  /** `NS/NAME` of a Gateway → keys of the VirtualServices bound to it. */
  readonly routesByGateway: Index;
  /** `all` → hosts of VirtualServices bound to sidecars that delegate, or have rules for certain namespaces. */
  readonly particularRouteHosts: Index;
  /** `all` → hosts of VirtualServices bound to sidecars with HTTP rules for callers of certain labels. */
  readonly labelledRouteHosts: Index;
  /** `all` → hosts of VirtualServices bound to sidecars with TCP or TLS rules for callers of certain labels. */
  readonly labelledConnectionHosts: Index;
  /** `all` → keys of Gateways. */
  readonly gateways: Index;
}

/** Creates the indexes. */
export function createIndexes(graph: Graph, tables: Tables, domain: string): Indexes {
  return {
    ...serviceIndexes(graph, tables),
    ...workloadIndexes(graph, tables),
    ...policyIndexes(graph, tables, domain),
    ...routeIndexes(graph, tables, domain),
  };
}

type Placement = Iterable<readonly [bucket: string, member: string]>;

/** The buckets of those who see an object: everybody, its own namespace, and those it is exported to. */
function* seenBy(exportTo: readonly string[], namespace: string): Iterable<string> {
  const visibility = visibilityOf(exportTo, namespace);
  if (visibility === "public") {
    yield "";
    yield namespace;
  } else yield* visibility;
}

function serviceIndexes(graph: Graph, tables: Tables) {
  type Row = ConfigObject<ServiceEntry>;
  const over = (name: string, place: (row: Row, key: string) => Placement): Index =>
    graph.index(tables.serviceEntries, `ServiceEntry.${name}`, place);
  const hosts = (row: Row): string[] => row.spec.hosts.map((h) => h.toLowerCase());
  return {
    entriesByHost: over("host", function* (row, key) {
      for (const host of hosts(row)) yield [host, key];
    }),
    hostsSeenBy: over("hostsSeenBy", function* (row) {
      for (const ns of seenBy(row.spec.exportTo, row.meta.namespace)) {
        for (const host of hosts(row)) yield [ns, host];
      }
    }),
    hostsByNamespace: over("hostsByNamespace", function* (row) {
      for (const host of hosts(row)) {
        yield [row.meta.namespace, host];
        yield ["*", host];
      }
    }),
    hostsByPattern: over("hostsByPattern", function* (row) {
      for (const host of hosts(row)) {
        for (const pattern of coveringPatterns(host)) yield [pattern, host];
      }
    }),
    listenersSeenBy: over("listenersSeenBy", function* (row) {
      for (const ns of seenBy(row.spec.exportTo, row.meta.namespace)) {
        for (const member of listenerMembers(row.spec)) yield [ns, member];
        if (!isGivenAddress(row.spec)) continue;
        for (const member of addressMembers(row.spec)) yield [givenBucket(ns), member];
      }
    }),
    givenHosts: over("givenHosts", function* (row) {
      if (!isGivenAddress(row.spec)) return;
      for (const host of hosts(row)) for (const group of groupOf(host)) yield [group, host];
    }),
    httpPortsSeenBy: over("httpPorts", function* (row) {
      for (const ns of seenBy(row.spec.exportTo, row.meta.namespace)) {
        for (const port of row.spec.ports) {
          if (mayBeHttp(protocolOf(port.protocol))) yield [ns, `${port.number}`];
        }
      }
    }),
    httpHosts: over("httpHosts", function* (row) {
      for (const ns of seenBy(row.spec.exportTo, row.meta.namespace)) {
        for (const port of row.spec.ports) {
          if (!mayBeHttp(protocolOf(port.protocol))) continue;
          for (const host of hosts(row)) yield [`${ns}|${port.number}`, host];
        }
      }
    }),
    declaredHttp: over("declaredHttp", function* (row) {
      for (const ns of seenBy(row.spec.exportTo, row.meta.namespace)) {
        for (const { number, protocol } of row.spec.ports) {
          if (isHttp(protocolOf(protocol))) yield [`${ns}|${number}`, `${number}`];
        }
      }
    }),
    tcpHosts: over("tcpHosts", function* (row) {
      for (const ns of seenBy(row.spec.exportTo, row.meta.namespace)) {
        for (const port of row.spec.ports) {
          if (!mayBeTcp(protocolOf(port.protocol))) continue;
          for (const host of hosts(row)) yield [`${ns}|${port.number}`, host];
        }
      }
    }),
    headlessHosts: over("headless", function* (row) {
      if (!isHeadless(row.spec)) return;
      for (const { number } of row.spec.ports) {
        for (const host of hosts(row)) yield [`${number}`, host];
      }
    }),
    hostsByVip: over("vip", function* (row) {
      for (const address of row.spec.addresses) {
        for (const host of hosts(row)) yield [address, host];
      }
    }),
    entriesByAddress: over("address", function* (row, key) {
      for (const endpoint of row.spec.endpoints) yield [endpoint.address, key];
    }),
    selectingEntries: over("selecting", function* (row, key) {
      if (row.spec.workloadSelector !== undefined) yield [row.meta.namespace, key];
    }),
  };
}

/** The bucket of `listenersSeenBy` for proxies that use given addresses, beside the one of a namespace. */
export function givenBucket(namespace: string): string {
  return `given/${namespace}`;
}

function workloadIndexes(graph: Graph, tables: Tables) {
  const over = (
    name: string,
    place: (row: ConfigObject<WorkloadEntry>, key: string) => Placement,
  ): Index => graph.index(tables.workloadEntries, `WorkloadEntry.${name}`, place);
  return {
    workloadsByLabel: over("label", function* (row, key) {
      for (const [label, value] of Object.entries(row.spec.labels)) {
        yield [`${row.meta.namespace}|${label}=${value}`, key];
      }
    }),
    workloadsByNamespace: over("namespace", function* (row, key) {
      yield [row.meta.namespace, key];
    }),
    workloadsByAddress: over("address", function* (row, key) {
      yield [row.spec.address, key];
    }),
  };
}

function routeIndexes(graph: Graph, tables: Tables, domain: string) {
  type Row = ConfigObject<VirtualService>;
  const over = (name: string, place: (row: Row, key: string) => Placement): Index =>
    graph.index(tables.virtualServices, `VirtualService.${name}`, place);
  const hosts = (row: Row): string[] =>
    row.spec.hosts.map((h) => fullHost(h, row.meta.namespace, domain));
  return {
    meshRoutesByHost: over("host", function* (row, key) {
      if (!boundToMesh(row.spec)) return;
      for (const host of hosts(row)) yield [host, key];
    }),
    meshRouteHostsSeenBy: over("seenBy", function* (row) {
      if (!boundToMesh(row.spec)) return;
      for (const ns of seenBy(row.spec.exportTo, row.meta.namespace)) {
        for (const host of hosts(row)) yield [ns, host];
      }
    }),
    routeHostsByDestination: over("destination", function* (row) {
      if (!boundToMesh(row.spec)) return;
      for (const destination of destinationsOf(row.spec)) {
        const target = fullHost(destination.host, row.meta.namespace, domain);
        for (const host of hosts(row)) yield [target, host];
      }
    }),
    particularRouteHosts: over("particular", function* (row) {
      if (!boundToMesh(row.spec) || !isParticular(row.spec)) return;
      for (const host of hosts(row)) yield ["all", host];
    }),
    labelledRouteHosts: over("labelled", function* (row) {
      if (!boundToMesh(row.spec) || !selectsLabels(row.spec)) return;
      for (const host of hosts(row)) yield ["all", host];
    }),
    labelledConnectionHosts: over("labelledConnections", function* (row) {
      if (!boundToMesh(row.spec) || !selectsConnections(row.spec)) return;
      for (const host of hosts(row)) yield ["all", host];
    }),
    routesByGateway: over("gateway", function* (row, key) {
      for (const gateway of row.spec.gateways) {
        if (gateway !== "mesh") yield [gatewayKey(gateway, row.meta.namespace), key];
      }
    }),
    gateways: graph.index(tables.gateways, "Gateway.all", function* (_row, key) {
      yield ["all", key];
    }),
  };
}
