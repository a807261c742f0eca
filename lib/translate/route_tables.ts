/**
 * Outbound route tables: the virtual hosts of a port, assembled from encoded
 * pieces, so that a change of one host encodes one host.
 *
 * @module
 */
import type { Collection, Derived, Read, Resource } from "../graph/mod.ts";
import { type Context, splitKey } from "./context.ts";
import { resourceOf, sameResources } from "./resource.ts";
import { catchAllVirtualHost, routeConfiguration } from "./route/mod.ts";
import { encode } from "../proto/mod.ts";
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { MeshConfig_OutboundTrafficPolicy_Mode } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { OutboundTrafficPolicy_Mode } from "#mesh/networking/v1alpha3/sidecar_pb.ts";

/** What happens to hosts that no virtual host names. */
export type CatchAll = "allow_any" | "block_all";

/** The mesh's outbound policy, or that of a Sidecar where it has one. */
export function outboundPolicy(read: Read, { mesh }: Context, sidecar: string): CatchAll {
  const own = sidecar === ""
    ? undefined
    : read.get(mesh.tables.sidecars, sidecar)?.spec.outboundTrafficPolicy;
  if (own !== undefined) {
    return own.mode === OutboundTrafficPolicy_Mode.ALLOW_ANY ? "allow_any" : "block_all";
  }
  const mode = mesh.field(read, "outboundTrafficPolicy")?.mode;
  return mode === MeshConfig_OutboundTrafficPolicy_Mode.REGISTRY_ONLY ? "block_all" : "allow_any";
}

/** An assembled table; its virtual hosts are sorted by name, so that its bytes depend on its content alone. */
export function assembleTable(
  name: string,
  virtualHosts: Iterable<Resource>,
  catchAll: CatchAll,
): Resource {
  const sorted = [...virtualHosts].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const bytes = sorted.map((v) => v.bytes);
  // A service of the host `*` is the catch-all itself: Envoy refuses a second one.
  if (!sorted.some((v) => v.name.startsWith("*:"))) {
    bytes.push(encode(VirtualHostSchema, catchAllVirtualHost(catchAll)));
  }
  return resourceOf(name, routeConfiguration(name, bytes, {}));
}

/** The collections of virtual hosts that tables are assembled from. */
export interface VirtualHostLayers {
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
  return {
    public: graph.derive<readonly Resource[]>("rds.public", (read, port) => [
      assembleTable(
        port,
        contents(read, layers.public(port)).values(),
        outboundPolicy(read, context, ""),
      ),
    ], options),
    overlay: graph.derive<readonly Resource[]>("rds.overlay", (read, key) => {
      const [namespace = "", port = ""] = splitKey(key, 2);
      const own = contents(read, layers.overlay(namespace, port));
      const shared = read.any(context.mesh.indexes.httpHosts, `|${port}`);
      if (own.size === 0 && shared) return [];
      const all = contents(read, layers.public(port));
      for (const [name, resource] of own) {
        if (resource.tombstone === true) all.delete(name);
        else all.set(name, resource);
      }
      return [assembleTable(port, all.values(), outboundPolicy(read, context, ""))];
    }, options),
    egress: graph.derive<readonly Resource[]>("rds.egress", (read, key) => {
      const [namespace = "", sidecar = "", listener = "", port = "", name = ""] = splitKey(key, 5);
      const hosts = contents(read, layers.egress(namespace, sidecar, listener, port));
      return [assembleTable(name, hosts.values(), outboundPolicy(read, context, sidecar))];
    }, options),
  };
}
