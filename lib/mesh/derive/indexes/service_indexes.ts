/**
 * Indexes over ServiceEntries.
 *
 * @module
 */
import { type Graph, type Index, type IndexCodecs, integer, text } from "../../graph/mod.ts";
import {
  type ConfigObject,
  coveringPatterns,
  isHttp,
  mayBeHttp,
  mayBeTcp,
  networkLabel,
  type Protocol,
} from "../../model/mod.ts";
import type { ServiceEntry } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import {
  groupOf,
  isAutoAllocated,
  isHeadless,
  type ListenerMember,
  listenerMembers,
  listenersOf,
  nearnessOf,
  type PortKey,
  portKeys,
  preferenceOf,
  protocolOf,
  seenBy,
  type Tables,
} from "../inputs/mod.ts";

/**
 * Indexes over services. In a bucket's namespace, `""` means exported to all namespaces. "Seen by"
 * a namespace: exported only to it, or its own; all namespaces see the rest.
 */
export interface ServiceIndexes {
  /** Host → row keys of the ServiceEntries that define it. */
  readonly entriesByHost: Index;
  /** Namespace → hosts seen by it. */
  readonly hostsSeenBy: Index;
  /** Namespace → hosts that ServiceEntries there define; `*` → all hosts. */
  readonly hostsByNamespace: Index;
  /** Pattern → hosts that it covers. */
  readonly hostsByPattern: Index;
  /** Namespace → outbound listeners that services seen by it may need. */
  readonly listenersSeenBy: Index<string, ListenerMember>;
  /** Namespace → ports of services seen by it that may carry HTTP. */
  readonly httpPortsSeenBy: Index<string, number>;
  /** Hosts with a port that may carry HTTP. */
  readonly httpHosts: Index<PortKey>;
  /** The port itself, if a service declares HTTP there. */
  readonly declaredHttp: Index<PortKey, number>;
  /** Namespace → ports of hosts seen by it whose protocol is detected. */
  readonly detectedSeenBy: Index<string, ListenerMember>;
  /** Host → its ports whose protocol is detected. */
  readonly detectedPorts: Index<string, number>;
  /** Hosts with a port of gRPC-Web. */
  readonly grpcWebHosts: Index<PortKey>;
  /** Hosts with a port that may carry other protocols than HTTP. */
  readonly tcpHosts: Index<PortKey>;
  /** Number of a group → hosts with an auto-allocated address of it. */
  readonly autoAddressHosts: Index<number>;
  /** Port → hosts of headless services that have it. */
  readonly headlessHosts: Index<number>;
  /** Virtual address → hosts that have it. */
  readonly hostsByVip: Index;
  /** Address → row keys of the ServiceEntries with that endpoint. */
  readonly entriesByAddress: Index;
  /** Namespace → row keys of the ServiceEntries there that select workloads. */
  readonly selectingEntries: Index;
  /**
   * `all` → hosts of services that prefer endpoints near the client, or use only those on its node.
   * `zone` and `node` → those of them for which the zone or the node of the client matters.
   */
  readonly nearHosts: Index;
  /** `all` → hosts of Services with endpoints that only clients of their cluster see. */
  readonly clusterOnlyHosts: Index;
  /** Host → hosts that are aliases of it. */
  readonly aliases: Index;
  /** Namespace → hosts of aliases that are seen by it. */
  readonly aliasHosts: Index;
  /** `all` → ids of the remote clusters that services come from. */
  readonly remoteClusters: Index;
  /** `all` → row keys of the Services with the label of a network, whose gateways they are. */
  readonly networkGateways: Index;
}

type Row = ConfigObject<ServiceEntry>;
type Entries<B, M> = Iterable<readonly [bucket: B, member: M]>;

/** Creates indexes over ServiceEntries. */
interface Factory {
  /** An index of texts. */
  plain(name: string, entries: (row: Row, key: string) => Entries<string, string>): Index;
  typed<B, M>(
    name: string,
    codecs: IndexCodecs<B, M>,
    entries: (row: Row) => Entries<B, M>,
  ): Index<B, M>;
}

/** Creates the indexes. */
export function serviceIndexes(graph: Graph, { serviceEntries: table }: Tables): ServiceIndexes {
  const factory: Factory = {
    plain: (name, entries) =>
      graph.index(table, `ServiceEntry.${name}`, { bucket: text, member: text }, entries),
    typed: (name, codecs, entries) => graph.index(table, `ServiceEntry.${name}`, codecs, entries),
  };
  return { ...byHost(factory), ...byPort(factory), ...byAddress(factory) };
}

type HostIndexes =
  | "nearHosts"
  | "clusterOnlyHosts"
  | "aliases"
  | "aliasHosts"
  | "remoteClusters"
  | "networkGateways"
  | "entriesByHost"
  | "hostsSeenBy"
  | "hostsByNamespace"
  | "hostsByPattern";

function byHost({ plain }: Factory): Pick<ServiceIndexes, HostIndexes> {
  return {
    entriesByHost: plain("host", function* (row, key) {
      for (const host of hostsOf(row)) yield [host, key];
    }),
    hostsSeenBy: plain("hostsSeenBy", function* (row) {
      for (const namespace of seenBy(row)) for (const host of hostsOf(row)) yield [namespace, host];
    }),
    hostsByNamespace: plain("hostsByNamespace", function* (row) {
      for (const host of hostsOf(row)) {
        yield [row.meta.namespace, host];
        yield ["*", host];
      }
    }),
    nearHosts: plain("nearHosts", function* (row) {
      for (const bucket of nearnessOf(preferenceOf(row), row.service?.nodeLocal)) {
        for (const host of hostsOf(row)) yield [bucket, host];
      }
    }),
    clusterOnlyHosts: plain("clusterOnlyHosts", function* (row) {
      if (row.service?.clusterOnly !== true) return;
      for (const host of hostsOf(row)) yield ["all", host];
    }),
    aliases: plain("aliases", function* (row) {
      const target = row.service?.alias;
      if (target !== undefined) { for (const host of hostsOf(row)) yield [target, host]; }
    }),
    aliasHosts: plain("aliasHosts", function* (row) {
      if (row.service?.alias === undefined) return;
      for (const namespace of seenBy(row)) for (const host of hostsOf(row)) yield [namespace, host];
    }),
    remoteClusters: plain("remoteClusters", function* ({ meta: { origin: { cluster } } }) {
      if (cluster !== undefined) yield ["all", cluster];
    }),
    networkGateways: plain("networkGateways", function* ({ meta: { labels }, service }, key) {
      if (service !== undefined && networkLabel(labels) !== "") yield ["all", key];
    }),
    hostsByPattern: plain("hostsByPattern", function* (row) {
      for (const host of hostsOf(row)) {
        for (const pattern of coveringPatterns(host)) yield [pattern, host];
      }
    }),
  };
}

type PortIndexes =
  | "listenersSeenBy"
  | "httpPortsSeenBy"
  | "httpHosts"
  | "declaredHttp"
  | "detectedSeenBy"
  | "detectedPorts"
  | "grpcWebHosts"
  | "tcpHosts"
  | "headlessHosts";

function byPort({ typed }: Factory): Pick<ServiceIndexes, PortIndexes> {
  const ports = { bucket: portKeys, member: text };
  return {
    listenersSeenBy: typed(
      "listenersSeenBy",
      { bucket: text, member: listenerMembers },
      listenerEntries,
    ),
    httpPortsSeenBy: typed("httpPorts", { bucket: text, member: integer }, function* (row) {
      for (const namespace of seenBy(row)) {
        for (const port of row.spec.ports) {
          if (mayBeHttp(protocolOf(port.protocol))) yield [namespace, port.number];
        }
      }
    }),
    httpHosts: typed("httpHosts", ports, (row) => hostEntries(row, mayBeHttp)),
    declaredHttp: typed(
      "declaredHttp",
      { bucket: portKeys, member: integer },
      function* (row) {
        for (const namespace of seenBy(row)) {
          for (const { number: port, protocol } of row.spec.ports) {
            if (isHttp(protocolOf(protocol))) yield [{ namespace, port }, port];
          }
        }
      },
    ),
    detectedPorts: typed("detectedPorts", { bucket: text, member: integer }, function* (row) {
      for (const [{ port }, host] of hostEntries(row, isDetected)) yield [host, port];
    }),
    detectedSeenBy: typed(
      "detectedSeenBy",
      { bucket: text, member: listenerMembers },
      function* (row) {
        for (const [{ namespace, port }, host] of hostEntries(row, isDetected)) {
          yield [namespace, { port, host }];
        }
      },
    ),
    grpcWebHosts: typed(
      "grpcWeb",
      ports,
      (row) => hostEntries(row, (protocol) => protocol === "GRPC-Web"),
    ),
    tcpHosts: typed("tcpHosts", ports, (row) => hostEntries(row, mayBeTcp)),
    headlessHosts: typed("headless", { bucket: integer, member: text }, function* (row) {
      if (!isHeadless(row)) return;
      for (const { number } of row.spec.ports) {
        for (const host of hostsOf(row)) yield [number, host];
      }
    }),
  };
}

type AddressIndexes = "autoAddressHosts" | "hostsByVip" | "entriesByAddress" | "selectingEntries";

function byAddress({ plain, typed }: Factory): Pick<ServiceIndexes, AddressIndexes> {
  return {
    autoAddressHosts: typed("autoAddressHosts", { bucket: integer, member: text }, function* (row) {
      if (!isAutoAllocated(row)) return;
      for (const host of hostsOf(row)) {
        const group = groupOf(host);
        if (group !== undefined) yield [group, host];
      }
    }),
    hostsByVip: plain("vip", function* (row) {
      for (const address of row.spec.addresses) {
        for (const host of hostsOf(row)) yield [address, host];
      }
    }),
    entriesByAddress: plain("address", function* (row, key) {
      for (const endpoint of row.spec.endpoints) yield [endpoint.address, key];
    }),
    selectingEntries: plain("selecting", function* (row, key) {
      const selects = row.spec.workloadSelector !== undefined ||
        Object.keys(row.service?.selector ?? {}).length > 0;
      if (selects) yield [row.meta.namespace, key];
    }),
  };
}

function hostsOf({ spec }: Row): string[] {
  return spec.hosts.map((host) => host.toLowerCase());
}

function* listenerEntries(row: Row) {
  for (const namespace of seenBy(row)) {
    for (const member of listenersOf(row.spec)) yield [namespace, member] as const;
  }
}

function isDetected(protocol: Protocol): boolean {
  return protocol === "Unsupported";
}

/** The hosts of an entry, for each port with a protocol that is wanted. */
function* hostEntries(row: Row, wanted: (protocol: ReturnType<typeof protocolOf>) => boolean) {
  for (const namespace of seenBy(row)) {
    for (const { number: port, protocol } of row.spec.ports) {
      if (!wanted(protocolOf(protocol))) continue;
      for (const host of hostsOf(row)) yield [{ namespace, port }, host] as const;
    }
  }
}
