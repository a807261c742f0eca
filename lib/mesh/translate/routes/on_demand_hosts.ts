/**
 * Virtual hosts as separate resources (VHDS), for clients that support them. A route table is then
 * a skeleton that stays the same, and a change of one host is sent as one host.
 *
 * The resource of a virtual host is named `table/host:port`, and Envoy requires that its own name is
 * the same. Otherwise it equals the virtual host of a whole table. The host `*` stays in the
 * skeleton: it takes the place of the catch-all there, and Envoy rejects a table that has both, even
 * for a moment.
 *
 * @module
 */
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import type { RecordedDecision } from "../../../kit/base/mod.ts";
import { type HostKey, hostKeys, portKeys } from "../../derive/mod.ts";
import { catchAllVirtualHost, renamedVirtualHost, routeConfiguration } from "../../envoy/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import { encode } from "../../../kit/proto/mod.ts";
import { type Context, findService } from "../context/mod.ts";
import {
  differences,
  overlayOf,
  resourceOf,
  type ResourcesOf,
  resourceTable,
  sameResources,
  type VirtualHostTable,
} from "../resources/mod.ts";
import { outboundPolicy } from "../destinations/mod.ts";
import { isRouted, routedPorts } from "./routed_hosts.ts";
import {
  type EgressTableKey,
  egressTableKeys,
  type OnDemandHosts,
  type TableHostKey,
  tableHostKeys,
  type VirtualHostKey,
} from "./keys.ts";

/**
 * Creates the tables.
 *
 * @param virtualHosts the virtual hosts of whole route tables
 */
export function deriveOnDemandHosts(
  context: Context,
  virtualHosts: VirtualHostTable<VirtualHostKey>,
): OnDemandHosts {
  const { graph, indexes } = context.mesh;
  const { hosts, seen } = deriveHosts(context, virtualHosts);
  const skeletons = resourceTable(
    graph,
    "rds.skeleton",
    portKeys,
    (read, { namespace, port }) =>
      skeletonOf(read, context, virtualHosts, { namespace, port, table: `${port}` }),
  );
  const skeletonOverlay = resourceTable(graph, "rds.skeleton.overlay", portKeys, (read, key) => {
    const { port } = key;
    const shared = read.any(indexes.httpHosts, { namespace: "", port });
    const mine = read.follow(skeletons, key);
    return differences(mine, shared ? read.get(skeletons, { namespace: "", port }) : []);
  });
  return {
    hosts: { base: hosts, overlay: overlayOf(context, "vhds.overlay", hosts, seen) },
    egressHosts: deriveEgressHosts(context, virtualHosts),
    skeletons: { base: skeletons, overlay: skeletonOverlay },
    egressSkeletons: resourceTable(
      graph,
      "rds.skeleton.egress",
      egressTableKeys,
      (read, key) => skeletonOf(read, context, virtualHosts, key),
    ),
  };
}

/** The virtual hosts of hosts, for the route tables of ports. */
function deriveHosts(
  context: Context,
  virtualHosts: VirtualHostTable<VirtualHostKey>,
): { readonly hosts: VirtualHostTable<HostKey>; readonly seen: ResourcesOf<HostKey> } {
  /** Reports if a namespace sees the virtual hosts that all namespaces see, and needs no copies. */
  const isShared = (read: Read, { namespace, host }: HostKey): boolean => {
    const ports = routedPorts(read, context, { namespace, host });
    return String(ports) === String(routedPorts(read, context, { namespace: "", host })) &&
      ports.every((port) =>
        sameResources(
          read.get(virtualHosts, { namespace, port, host }),
          read.get(virtualHosts, { namespace: "", port, host }),
        )
      );
  };
  const seen: ResourcesOf<HostKey> = (read, key) => {
    const { namespace, host } = key;
    if (read.decide === undefined && namespace !== "" && isShared(read, key)) {
      return read.get(hosts, { namespace: "", host });
    }
    return routedPorts(read, context, key).flatMap((port) => {
      const inside = read.mapped(inTable(`${port}`));
      return partsOf(`${port}`, host, inside.follow(virtualHosts, { namespace, port, host }));
    });
  };
  const hosts: VirtualHostTable<HostKey> = resourceTable(
    context.mesh.graph,
    "vhds",
    hostKeys,
    seen,
  );
  return { hosts, seen };
}

/** The virtual hosts of route tables of Sidecars. */
function deriveEgressHosts(
  { mesh }: Context,
  virtualHosts: VirtualHostTable<VirtualHostKey>,
): VirtualHostTable<TableHostKey> {
  const table: VirtualHostTable<TableHostKey> = resourceTable(
    mesh.graph,
    "vhds.egress",
    tableHostKeys,
    (read, key) => {
      const { table: name, ...plain } = key;
      const mine = read.mapped(inTable(name)).follow(virtualHosts, plain);
      const shared = read.get(virtualHosts, { ...plain, namespace: "" });
      // Virtual hosts that all namespaces see exist once.
      return key.namespace !== "" && sameResources(mine, shared)
        ? read.get(table, { ...key, namespace: "" })
        : partsOf(name, key.host, mine);
    },
  );
  return table;
}

/** A route table of a port, or of an egress listener of a Sidecar. */
type SkeletonKey =
  & Pick<EgressTableKey, "namespace" | "port" | "table">
  & Partial<Pick<EgressTableKey, "sidecar" | "listener">>;

/** A route table without its virtual hosts. */
function skeletonOf(
  read: Read,
  context: Context,
  virtualHosts: VirtualHostTable<VirtualHostKey>,
  { namespace, sidecar = "", listener, port, table }: SkeletonKey,
): readonly Resource[] {
  const inside = read.within(table);
  const routed = findService(read, context, namespace, "*") !== undefined ||
    (sidecar === ""
      ? isRouted(read, context, { namespace, host: "*" })
      : read.get(context.mesh.scopes.egressRouteHosts, { namespace, sidecar, listener })
        .includes("*"));
  const star = routed ? inside.follow(virtualHosts, { namespace, port, host: "*" }) : [];
  const policy = star.length > 0 ? undefined : outboundPolicy(inside, context, sidecar);
  const inline = policy === undefined
    ? star.map((r) => r.bytes)
    : [encode(VirtualHostSchema, catchAllVirtualHost(policy, context.settings(read, "routes")))];
  const options = { ignorePortInHostMatching: true, virtualHostsApart: true };
  return [resourceOf(table, routeConfiguration(table, inline, options))];
}

/** Renames the virtual hosts in decisions as parts of a route table. */
export function inTable(table: string): (decision: RecordedDecision) => RecordedDecision {
  return ({ of = [], ...decision }) => {
    const [name, ...parts] = of;
    return { ...decision, of: name === undefined ? of : [`${table}/${name}`, ...parts] };
  };
}

/** Virtual hosts under the names that they have as parts of a route table. */
export function partsOf(
  table: string,
  host: string,
  virtualHosts: readonly Resource[],
): Resource[] {
  return host === "*" ? [] : virtualHosts.map((r) => partOf(table, r));
}

/** A virtual host under the name that it has as a part of a route table. */
export function partOf(table: string, { name, bytes }: Resource): Resource {
  const part = `${table}/${name}`;
  return resourceOf(part, renamedVirtualHost(bytes, part));
}
