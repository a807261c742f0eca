/**
 * Virtual hosts as resources of their own, for clients that take them so: a
 * route table is then a skeleton that stays the same, and a change of one host
 * is sent as one host.
 *
 * A virtual host is named `table/host:port`, and Envoy wants its own name to be
 * that too; otherwise it is the one that whole tables are made of. The host `*`
 * stays in the skeleton: it takes the place of the catch-all there, and a table
 * that has both, if only for a moment, is refused.
 *
 * @module
 */
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { deriveTelling, lookUp, type Tell, type Telling, within } from "../../derive/mod.ts";
import { catchAllVirtualHost, renamedVirtualHost, routeConfiguration } from "../../envoy/mod.ts";
import type { Derived, Read, Resource } from "../../graph/mod.ts";
import { mayBeHttp } from "../../model/mod.ts";
import { encode } from "../../proto/mod.ts";
import { type Context, pickService } from "../context/mod.ts";
import {
  differences,
  type Layered,
  overlayOf,
  resourceOf,
  sameResources,
  splitKey,
} from "../resources/mod.ts";
import { outboundPolicy } from "../settings/mod.ts";

/** The derived tables of tables that come in pieces. */
export interface VhdsTables {
  /** `NS|host` → the virtual hosts of a host, one for each of its HTTP ports. */
  readonly hosts: Layered;
  /** `NS|port|name|host` → the virtual host of a table of a Sidecar's listener. */
  readonly egressHosts: Derived<readonly Resource[]>;
  /** `NS|port` → the skeleton of a port's table. */
  readonly skeletons: Layered;
  /** `NS|sidecar|listener|port|name` → the skeleton of an egress listener's table. */
  readonly egressSkeletons: Derived<readonly Resource[]>;
}

/**
 * Creates the tables.
 *
 * @param virtualHosts `NS|port|host` → its virtual host as tables hold it
 */
export function deriveVhds(
  context: Context,
  virtualHosts: Derived<readonly Resource[]>,
): VhdsTables {
  const { mesh } = context;
  const { graph } = mesh;
  const options = { equal: sameResources };
  const virtualHost = (
    read: Read,
    place: { namespace: string; port: string | number; table: string; host: string },
    tell: Tell | undefined,
  ): readonly Resource[] => {
    const { namespace, port, table, host } = place;
    return lookUp(read, virtualHosts, `${namespace}|${port}|${host}`, inTableOf(tell, table));
  };
  /** Whether a namespace sees the virtual hosts that everybody sees, and is spared names of its own. */
  const isShared = (read: Read, namespace: string, host: string): boolean => {
    const ports = portsOf(read, context, namespace, host);
    return String(ports) === String(portsOf(read, context, "", host)) &&
      ports.every((port) =>
        sameResources(
          read.get(virtualHosts, `${namespace}|${port}|${host}`),
          read.get(virtualHosts, `|${port}|${host}`),
        )
      );
  };
  const seen: Telling<readonly Resource[]> = (read, key, tell) => {
    const [namespace = "", host = ""] = splitKey(key, 2);
    if (tell === undefined && namespace !== "" && isShared(read, namespace, host)) {
      return read.get(hosts, `|${host}`);
    }
    return portsOf(read, context, namespace, host).flatMap((port) => {
      const table = `${port}`;
      return inTable(table, host, virtualHost(read, { namespace, port, table, host }, tell));
    });
  };
  const hosts: Derived<readonly Resource[]> = deriveTelling(graph, "vhds", seen, options);
  const egressHosts = deriveTelling<readonly Resource[]>(
    graph,
    "vhds.egress",
    (read, key, tell) => {
      const [namespace = "", port = "", name = "", host = ""] = splitKey(key, 4);
      const mine = virtualHost(read, { namespace, port, table: name, host }, tell);
      const shared = read.get(virtualHosts, `|${port}|${host}`);
      // What everybody sees exists once, whoever sees it.
      return namespace !== "" && sameResources(mine, shared)
        ? read.get(egressHosts, `|${port}|${name}|${host}`)
        : inTable(name, host, mine);
    },
    options,
  ) as Derived<readonly Resource[]>;
  const skeleton = (
    read: Read,
    sidecar: string,
    namespace: string,
    port: string,
    name: string,
    tell: Tell | undefined,
  ): Resource[] => {
    const inside = within(tell, name);
    const star = lookUp(read, virtualHosts, `${namespace}|${port}|*`, inside);
    const policy = star.length > 0 ? undefined : outboundPolicy(read, context, sidecar, inside);
    const inline = policy === undefined
      ? star.map((r) => r.bytes)
      : [encode(VirtualHostSchema, catchAllVirtualHost(policy, context.settings(read, "routes")))];
    return [resourceOf(
      name,
      routeConfiguration(name, inline, {
        ignorePortInHostMatching: true,
        virtualHostsApart: true,
      }),
    )];
  };
  const skeletons = deriveTelling<readonly Resource[]>(graph, "rds.skeleton", (read, key, tell) => {
    const [namespace = "", port = ""] = splitKey(key, 2);
    return skeleton(read, "", namespace, port, port, tell);
  }, options);
  return {
    hosts: { base: hosts, overlay: overlayOf(context, "vhds.overlay", hosts, 2, 0, seen) },
    egressHosts,
    skeletons: {
      base: skeletons,
      overlay: deriveTelling<readonly Resource[]>(
        graph,
        "rds.skeleton.overlay",
        (read, key, tell) => {
          const [, port = ""] = splitKey(key, 2);
          const shared = read.any(mesh.indexes.httpHosts, { namespace: "", port: Number(port) });
          const mine = lookUp(read, skeletons, key, tell);
          return differences(mine, shared ? read.get(skeletons, `|${port}`) : []);
        },
        options,
      ),
    },
    egressSkeletons: deriveTelling<readonly Resource[]>(
      graph,
      "rds.skeleton.egress",
      (read, key, tell) => {
        const [namespace = "", sidecar = "", _listener = "", port = "", name = ""] = splitKey(
          key,
          5,
        );
        return skeleton(read, sidecar, namespace, port, name, tell);
      },
      options,
    ),
  };
}

/** A listener for virtual hosts that are named as parts of a table. */
export function inTableOf(tell: Tell | undefined, table: string): Tell | undefined {
  return tell && (({ of = [], ...told }) => {
    const [name, ...parts] = of;
    tell({ ...told, of: name === undefined ? of : [`${table}/${name}`, ...parts] });
  });
}

/** The ports at which a host may have a virtual host. */
function portsOf(read: Read, context: Context, namespace: string, host: string): number[] {
  const service = pickService(read, context, namespace, host);
  // A host that VirtualServices alone name is served at port 80.
  if (service === undefined) return [80];
  const ports = service.ports.filter((p) => mayBeHttp(p.protocol)).map((p) => p.number);
  return [...new Set(ports)];
}

/** Virtual hosts under the names they have as parts of a table. */
export function inTable(
  table: string,
  host: string,
  virtualHosts: readonly Resource[],
): Resource[] {
  if (host === "*") return [];
  return virtualHosts.map((r) => {
    const name = `${table}/${r.name}`;
    return resourceOf(name, renamedVirtualHost(r.bytes, name));
  });
}
