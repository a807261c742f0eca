/**
 * Outbound route tables: the virtual hosts of a port, assembled from encoded
 * pieces, so that a change of one host encodes one host.
 *
 * @module
 */
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { deriveTelling, lookUp, type Tell, within } from "../../derive/mod.ts";
import { type CatchAll, catchAllVirtualHost, routeConfiguration } from "../../envoy/mod.ts";
import type { Collection, Derived, Read, Resource } from "../../graph/mod.ts";
import { encode } from "../../proto/mod.ts";
import type { Context } from "../context/mod.ts";
import { resourceOf, sameResources, splitKey } from "../resources/mod.ts";
import { outboundPolicy } from "../settings/mod.ts";

/** What of a table is not its hosts'. */
export interface TableRest {
  readonly catchAll: CatchAll;
  /** Servers are not told the number of the attempt. */
  readonly hideAttempts: boolean;
  /** Where names are looked up, clients may ask for ways there (CONNECT). Default: they may not. */
  readonly connects?: boolean;
  /** Hosts of several ports are in it, told apart by the port that clients name. Default: of one port. */
  readonly byPort?: boolean;
}

/** The rest of a table, for a Sidecar or (`""`) without one. */
export function tableRest(read: Read, context: Context, sidecar: string, tell?: Tell): TableRest {
  const catchAll = outboundPolicy(read, context, sidecar, tell);
  return { catchAll, hideAttempts: context.settings(read, "routes").hideAttempts };
}

/** An assembled table; its virtual hosts are sorted by name, so that its bytes depend on its content alone. */
export function assembleTable(
  name: string,
  virtualHosts: Iterable<Resource>,
  rest: TableRest,
): Resource {
  const sorted = [...virtualHosts].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const bytes = sorted.map((v) => v.bytes);
  // A service of the host `*` is the catch-all itself: Envoy refuses a second one.
  if (!sorted.some((v) => v.name.startsWith("*:"))) {
    bytes.push(encode(VirtualHostSchema, catchAllVirtualHost(rest.catchAll, rest)));
  }
  return resourceOf(
    name,
    routeConfiguration(name, bytes, { ignorePortInHostMatching: rest.byPort !== true }),
  );
}

/**
 * Has each virtual host of a table tell for itself.
 *
 * @param names of the virtual hosts, `host:port`
 * @param keyOf the cell of a host in `virtualHosts`
 */
export function tellParts(
  read: Read,
  virtualHosts: Derived<readonly Resource[]>,
  names: Iterable<string>,
  keyOf: (host: string, name: string) => string,
  tell: Tell | undefined,
): void {
  if (tell === undefined) return;
  for (const name of names) {
    lookUp(read, virtualHosts, keyOf(name.slice(0, name.lastIndexOf(":")), name), tell);
  }
}

/** The collections of virtual hosts that tables are assembled from. */
export interface VirtualHostLayers {
  /** `NS|port|host` → the virtual host that they hold. */
  readonly cells: Derived<readonly Resource[]>;
  /** Hosts with an HTTP port of this number, as everybody sees them. */
  public(port: string): readonly Collection[];
  /** What a namespace sees otherwise. */
  overlay(namespace: string, port: string): readonly Collection[];
  /** What one egress listener of a Sidecar imports. */
  egress(namespace: string, sidecar: string, listener: string, port: string): readonly Collection[];
}

/** The derived tables of route tables. */
export interface RouteTables {
  /** port → the table that everybody shares. */
  readonly public: Derived<readonly Resource[]>;
  /** `NS|port` → the namespace's own table, if it differs. */
  readonly overlay: Derived<readonly Resource[]>;
  /** `NS|sidecar|listener|port|name` → the table of an egress listener. */
  readonly egress: Derived<readonly Resource[]>;
  /** Virtual hosts of a namespace's table, by name: its own over those of everybody. */
  readonly hostsOf: (read: Read, namespace: string, port: string) => Map<string, Resource>;
  /** Virtual hosts of an egress listener's table, by name. */
  readonly egressHostsOf: (
    read: Read,
    ...listener: Parameters<VirtualHostLayers["egress"]>
  ) => Map<string, Resource>;
}

/** Creates the tables. */
export function deriveRouteTables(context: Context, layers: VirtualHostLayers): RouteTables {
  const { graph } = context.mesh;
  const options = { equal: sameResources };
  const contents = (read: Read, collections: readonly Collection[]): Map<string, Resource> => {
    const all = new Map<string, Resource>();
    for (const c of collections) for (const [name, r] of read.content(c)) all.set(name, r);
    return all;
  };
  const hostsOf: RouteTables["hostsOf"] = (read, namespace, port) => {
    const all = contents(read, layers.public(port));
    for (const [name, resource] of contents(read, layers.overlay(namespace, port))) {
      if (resource.tombstone === true) all.delete(name);
      else all.set(name, resource);
    }
    return all;
  };
  return {
    hostsOf,
    egressHostsOf: (read, ...listener) => contents(read, layers.egress(...listener)),
    public: deriveTelling<readonly Resource[]>(graph, "rds.public", (read, port, tell) => {
      const hosts = contents(read, layers.public(port));
      const inside = within(tell, port);
      tellParts(read, layers.cells, hosts.keys(), (host) => `|${port}|${host}`, inside);
      return [assembleTable(port, hosts.values(), tableRest(read, context, "", inside))];
    }, options),
    overlay: deriveTelling<readonly Resource[]>(graph, "rds.overlay", (read, key, tell) => {
      const [namespace = "", port = ""] = splitKey(key, 2);
      const own = contents(read, layers.overlay(namespace, port));
      const shared = read.any(context.mesh.indexes.httpHosts, {
        namespace: "",
        port: Number(port),
      });
      if (own.size === 0 && shared) return [];
      const all = hostsOf(read, namespace, port);
      const inside = within(tell, port);
      const keyOf = (host: string, name: string): string =>
        `${own.has(name) ? namespace : ""}|${port}|${host}`;
      tellParts(read, layers.cells, all.keys(), keyOf, inside);
      return [assembleTable(port, all.values(), tableRest(read, context, "", inside))];
    }, options),
    egress: deriveTelling<readonly Resource[]>(graph, "rds.egress", (read, key, tell) => {
      const [namespace = "", sidecar = "", listener = "", port = "", name = ""] = splitKey(key, 5);
      const hosts = contents(read, layers.egress(namespace, sidecar, listener, port));
      const inside = within(tell, name);
      inside?.({
        group: "listener",
        source: "object",
        object: `Sidecar/${sidecar}`,
        field: `spec.egress[${listener}]`,
      });
      const keyOf = (host: string): string => `${namespace}|${port}|${host}`;
      tellParts(read, layers.cells, hosts.keys(), keyOf, inside);
      return [assembleTable(name, hosts.values(), tableRest(read, context, sidecar, inside))];
    }, options),
  };
}
