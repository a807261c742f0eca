/**
 * What the Gateways that select a proxy ask it to listen for.
 *
 * @module
 */
import type { Derived, Graph, Read } from "../graph/mod.ts";
import type { ConfigObject, Protocol } from "../model/mod.ts";
import { objectKey } from "../model/mod.ts";
import type { Gateway } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import { intersectHosts } from "./hosts.ts";
import { protocolOf } from "./protocol.ts";
import { parseLabels } from "./scopes.ts";
import { byAge, hasLabels } from "./services.ts";
import type { Indexes, Tables } from "./tables.ts";

/** A host that a gateway server accepts, and from which namespaces routes may claim it. */
export interface GatewayHost {
  /** Key of the Gateway. */
  readonly gateway: string;
  /** `*` any namespace, else the name of the one. */
  readonly namespace: string;
  readonly host: string;
}

/** All servers of one port and bind address, merged. */
export interface GatewayPort {
  readonly number: number;
  /** Bind address; `""`: all addresses. */
  readonly bind: string;
  readonly protocol: Protocol;
  readonly hosts: readonly GatewayHost[];
  /** Keys of the Gateways with a server here, oldest first. */
  readonly gateways: readonly string[];
}

/** Key of a port among those of a proxy: `80`, or `80@10.0.0.1` with a bind address. */
export function gatewayPortKey(port: GatewayPort): string {
  return port.bind === "" ? `${port.number}` : `${port.number}@${port.bind}`;
}

/**
 * Creates the table: `NS|labels` (with `NS` empty unless gateways are scoped to
 * their namespace) → merged ports, sorted by number and bind address. Of two
 * servers of one port whose protocols differ in kind the oldest Gateway's wins.
 */
export function deriveGateways(
  graph: Graph,
  tables: Tables,
  indexes: Indexes,
): Derived<readonly GatewayPort[]> {
  return graph.derive<readonly GatewayPort[]>("gateway.ports", (read, key) => {
    const bar = key.indexOf("|");
    const rows = selectGateways(
      read,
      tables,
      indexes,
      key.slice(0, bar),
      parseLabels(key.slice(bar + 1)),
    );
    return mergeServers(rows);
  });
}

function selectGateways(
  read: Read,
  tables: Tables,
  indexes: Indexes,
  onlyNamespace: string,
  labels: Readonly<Record<string, string>>,
): ConfigObject<Gateway>[] {
  const rows: ConfigObject<Gateway>[] = [];
  for (const key of read.members(indexes.gateways, "all")) {
    if (onlyNamespace !== "" && !key.startsWith(onlyNamespace + "/")) continue;
    const row = read.get(tables.gateways, key);
    if (row !== undefined && hasLabels(labels, row.spec.selector)) rows.push(row);
  }
  return rows.sort(byAge);
}

function mergeServers(rows: readonly ConfigObject<Gateway>[]): GatewayPort[] {
  const ports = new Map<string, GatewayPort & { hosts: GatewayHost[]; gateways: string[] }>();
  for (const row of rows) {
    const gateway = objectKey(row.meta);
    for (const server of row.spec.servers) {
      const number = server.port?.number ?? 0;
      const protocol = protocolOf(server.port?.protocol ?? "");
      const key = `${number}|${server.bind}`;
      let port = ports.get(key);
      if (port === undefined) {
        port = { number, bind: server.bind, protocol, hosts: [], gateways: [] };
        ports.set(key, port);
      }
      if ((port.protocol === "TCP") !== (protocol === "TCP")) continue;
      if (!port.gateways.includes(gateway)) port.gateways.push(gateway);
      port.hosts.push(...server.hosts.map((h) => gatewayHost(h, gateway, row.meta.namespace)));
    }
  }
  return [...ports.values()].sort((a, b) => a.number - b.number || (a.bind < b.bind ? -1 : 1));
}

/** Reads `namespace/host` or `host`; the namespace may be `*` or `.`. */
function gatewayHost(text: string, gateway: string, namespace: string): GatewayHost {
  const slash = text.indexOf("/");
  const place = slash < 0 ? "*" : text.slice(0, slash);
  return {
    gateway,
    namespace: place === "." ? namespace : place,
    host: text.slice(slash + 1).toLowerCase(),
  };
}

/**
 * The hosts under which a VirtualService is served at a port: where its own hosts
 * and those of the Gateways it is bound to meet, the narrower of both.
 *
 * @param bound keys of the Gateways that the VirtualService names
 */
export function servedHosts(
  port: GatewayPort,
  bound: ReadonlySet<string>,
  routeHosts: readonly string[],
  routeNamespace: string,
): string[] {
  const served = new Set<string>();
  for (const accepted of port.hosts) {
    if (!bound.has(accepted.gateway)) continue;
    if (accepted.namespace !== "*" && accepted.namespace !== routeNamespace) continue;
    for (const host of routeHosts) {
      const both = intersectHosts(accepted.host, host);
      if (both !== undefined) served.add(both);
    }
  }
  return [...served].sort();
}
