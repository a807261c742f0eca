/**
 * Outbound route tables, assembled from encoded virtual hosts, so that a change of one host encodes
 * one host.
 *
 * @module
 */
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { type PortKey, portKeys } from "../../derive/mod.ts";
import { type CatchAll, catchAllVirtualHost, routeConfiguration } from "../../envoy/mod.ts";
import { type Collection, integer, type Read, type Resource } from "../../graph/mod.ts";
import { encode } from "../../../kit/proto/mod.ts";
import type { Context } from "../context/mod.ts";
import { resourceOf, resourceTable, type VirtualHostTable } from "../resources/mod.ts";
import { outboundPolicy } from "../destinations/mod.ts";
import type { EgressPortKey } from "../egress/mod.ts";
import { egressTableKeys, type RouteTables, type VirtualHostKey } from "./keys.ts";

/** The properties of a route table besides its virtual hosts. */
export interface TableSettings {
  readonly catchAll: CatchAll;
  /** Requests do not carry the number of the attempt. */
  readonly hideAttempts: boolean;
  /** True if clients may use CONNECT to hosts whose names are looked up. Default: false. */
  readonly connects?: boolean;
  /** The table has hosts of several ports, distinguished by the port in the host header. Default: of one port. */
  readonly byPort?: boolean;
}

/**
 * The settings of a route table.
 *
 * @param sidecar key of the Sidecar that shapes it; `""` for none
 */
export function tableSettings(read: Read, context: Context, sidecar: string): TableSettings {
  const catchAll = outboundPolicy(read, context, sidecar);
  return { catchAll, hideAttempts: context.settings(read, "routes").hideAttempts };
}

/** Assembles a route table. Its virtual hosts are sorted by name, so that its bytes depend only on its content. */
export function assembleTable(
  name: string,
  virtualHosts: Iterable<Resource>,
  settings: TableSettings,
): Resource {
  const sorted = [...virtualHosts].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const bytes = sorted.map((v) => v.bytes);
  // A service with the host `*` replaces the catch-all: Envoy rejects a second one.
  if (!sorted.some((v) => v.name.startsWith("*:"))) {
    bytes.push(encode(VirtualHostSchema, catchAllVirtualHost(settings.catchAll, settings)));
  }
  return resourceOf(
    name,
    routeConfiguration(name, bytes, { ignorePortInHostMatching: settings.byPort !== true }),
  );
}

/** The host of a virtual host's name, `host:port`. */
export function hostOfName(name: string): string {
  return name.slice(0, name.lastIndexOf(":"));
}

/** Takes over the decisions of the virtual hosts of a route table, of those that are asked about. */
export function followHosts<K>(
  read: Read,
  virtualHosts: VirtualHostTable<K>,
  names: Iterable<string>,
  keyOf: (name: string) => K,
): void {
  if (read.decide === undefined) return;
  for (const name of names) {
    if (read.asked?.has(name) === false) continue;
    read.follow<readonly Resource[], K>(virtualHosts, keyOf(name));
  }
}

/** The collections of virtual hosts that route tables are assembled from. */
export interface VirtualHostCollections {
  /** The virtual hosts in the collections. */
  readonly cells: VirtualHostTable<VirtualHostKey>;
  /** Hosts with an HTTP port of this number that all namespaces see. */
  public(port: number): readonly Collection[];
  /** Hosts that a namespace sees differently. */
  overlay(key: PortKey): readonly Collection[];
  /** Hosts that one egress listener of a Sidecar imports. */
  egress(key: EgressPortKey): readonly Collection[];
}

/** Creates the tables. */
export function deriveRouteTables(context: Context, hosts: VirtualHostCollections): RouteTables {
  const { graph, indexes } = context.mesh;
  const hostsOf: RouteTables["hostsOf"] = (read, key) => {
    const all = contents(read, hosts.public(key.port));
    for (const [name, resource] of contents(read, hosts.overlay(key))) {
      if (resource.tombstone === true) all.delete(name);
      else all.set(name, resource);
    }
    return all;
  };
  const egressHostsOf: RouteTables["egressHostsOf"] = (read, key) =>
    contents(read, hosts.egress(key));
  return {
    hostsOf,
    egressHostsOf,
    public: resourceTable(graph, "rds.public", integer, (read, port) => {
      const all = contents(read, hosts.public(port));
      const inside = read.within(`${port}`);
      const keyOf = (name: string): VirtualHostKey => ({
        namespace: "",
        port,
        host: hostOfName(name),
      });
      followHosts(inside, hosts.cells, all.keys(), keyOf);
      return [assembleTable(`${port}`, all.values(), tableSettings(inside, context, ""))];
    }),
    overlay: resourceTable(graph, "rds.overlay", portKeys, (read, key) => {
      const { namespace, port } = key;
      const own = contents(read, hosts.overlay(key));
      const shared = read.any(indexes.httpHosts, { namespace: "", port });
      if (own.size === 0 && shared) return [];
      const all = hostsOf(read, key);
      const inside = read.within(`${port}`);
      const keyOf = (name: string): VirtualHostKey => ({
        namespace: own.has(name) ? namespace : "",
        port,
        host: hostOfName(name),
      });
      followHosts(inside, hosts.cells, all.keys(), keyOf);
      return [assembleTable(`${port}`, all.values(), tableSettings(inside, context, ""))];
    }),
    egress: resourceTable(graph, "rds.egress", egressTableKeys, (read, key) => {
      const { namespace, sidecar, listener, port, table } = key;
      const all = egressHostsOf(read, key);
      const inside = read.within(table);
      inside.decide?.({
        group: "listener",
        source: "object",
        object: `Sidecar/${sidecar}`,
        field: `spec.egress[${listener}]`,
      });
      const keyOf = (name: string): VirtualHostKey => ({ namespace, port, host: hostOfName(name) });
      followHosts(inside, hosts.cells, all.keys(), keyOf);
      return [assembleTable(table, all.values(), tableSettings(inside, context, sidecar))];
    }),
  };
}

/** The content of collections, by name; of one name the last wins. */
function contents(read: Read, collections: readonly Collection[]): Map<string, Resource> {
  const all = new Map<string, Resource>();
  for (const c of collections) for (const [name, r] of read.content(c)) all.set(name, r);
  return all;
}
