/**
 * All tables that layers of routes are made of.
 *
 * @module
 */
import { type PortKey, portKeys } from "../../derive/mod.ts";
import { type Collection, type Derived, integer } from "../../graph/mod.ts";
import { mayBeHttp } from "../../model/mod.ts";
import { type Context, findService } from "../context/mod.ts";
import { collection, type Layered, overlayOf } from "../resources/mod.ts";
import { type Egress, type EgressPortKey, egressPorts } from "../egress/mod.ts";
import type { Routes, VirtualHostKey } from "./keys.ts";
import { deriveAskedHosts } from "./asked_hosts.ts";
import { deriveDetectedTables } from "./detected.ts";
import { deriveOnDemandHosts } from "./on_demand_hosts.ts";
import { isRouted } from "./routed_hosts.ts";
import { deriveSourceLabelRoutes } from "./source_label_routes.ts";
import { deriveRouteTables } from "./tables.ts";
import { deriveVirtualHosts } from "./virtual_hosts.ts";

/** The tables that whole route tables are made of. */
interface Parts {
  readonly context: Context;
  readonly egress: Egress;
  readonly virtualHosts: Layered<VirtualHostKey>;
  readonly overlayHttpHosts: Derived<readonly string[], PortKey>;
  /** Port → aliases of hosts that have it, as all namespaces see them. */
  readonly aliasHosts: Derived<readonly string[], number>;
}

/** Creates the tables. */
export function deriveRoutes(context: Context, egress: Egress): Routes {
  const virtualHosts = deriveVirtualHosts(context);
  const parts: Parts = {
    context,
    egress,
    virtualHosts: {
      base: virtualHosts,
      overlay: overlayOf(context, "vhost.overlay", virtualHosts),
    },
    overlayHttpHosts: deriveOverlayHttpHosts(context),
    aliasHosts: deriveAliasHosts(context),
  };
  const tables = deriveRouteTables(context, {
    cells: virtualHosts,
    public: (port) => [
      publicHosts(parts, port),
      publicAliases(parts, port),
      ...publicRouteHosts(parts, port),
    ],
    overlay: (key) => [overlayHosts(parts, key), ...overlayRouteHosts(parts, key)],
    egress: (key) => [egressHosts(parts, key)],
  });
  const plain = { virtualHosts, tables, egress };
  const sourceLabels = deriveSourceLabelRoutes(context, plain);
  return {
    context,
    ...plain,
    onDemand: deriveOnDemandHosts(context, virtualHosts),
    sourceLabels,
    asked: deriveAskedHosts(context, plain, sourceLabels),
    detected: deriveDetectedTables(context, plain, sourceLabels),
  };
}

function publicHosts(parts: Parts, port: number): Collection {
  return collection(parts, `vhost/${port}/public`, () => ({
    members: { index: parts.context.mesh.indexes.httpHosts, buckets: [{ namespace: "", port }] },
    resources: parts.virtualHosts.base,
    keyOf: (host) => ({ namespace: "", port, host }),
  }));
}

/** Aliases have the ports of other hosts. */
function publicAliases(parts: Parts, port: number): Collection {
  return collection(parts, `vhost/${port}/public-aliases`, () => ({
    members: { listFrom: [parts.aliasHosts, port] },
    resources: parts.virtualHosts.base,
    keyOf: (host) => ({ namespace: "", port, host }),
  }));
}

function deriveAliasHosts(context: Context): Derived<readonly string[], number> {
  const { graph, indexes } = context.mesh;
  return graph.derive(
    "vhost.aliases",
    integer,
    (read, port) =>
      [...read.members(indexes.aliasHosts, "")].sort().filter((host) =>
        findService(read, context, "", host)?.ports
          .some((p) => p.number === port && mayBeHttp(p.protocol)) === true
      ),
  );
}

/** Hosts that only VirtualServices name are served at port 80. */
function publicRouteHosts(parts: Parts, port: number): Collection[] {
  if (port !== 80) return [];
  return [collection(parts, `vhost/80/public-routes`, () => ({
    members: { listFrom: [parts.context.mesh.scopes.routeHosts, ""] },
    resources: parts.virtualHosts.base,
    keyOf: (host) => ({ namespace: "", port, host }),
  }))];
}

function overlayHosts(parts: Parts, { namespace, port }: PortKey): Collection {
  return collection(parts, `vhost/${port}/overlay/${namespace}`, () => ({
    members: { listFrom: [parts.overlayHttpHosts, { namespace, port }] },
    resources: parts.virtualHosts.overlay,
    keyOf: (host) => ({ namespace, port, host }),
  }));
}

function overlayRouteHosts(parts: Parts, { namespace, port }: PortKey): Collection[] {
  if (port !== 80) return [];
  return [collection(parts, `vhost/80/overlay-routes/${namespace}`, () => ({
    members: { listFrom: [parts.context.mesh.scopes.routeHosts, namespace] },
    resources: parts.virtualHosts.overlay,
    keyOf: (host) => ({ namespace, port, host }),
  }))];
}

export function egressHosts(
  parts: Parts,
  key: EgressPortKey,
): Collection {
  const { namespace, port } = key;
  return collection(parts, `vhost/egress/${egressPorts.encode(key)}`, () => ({
    members: { listFrom: [parts.egress.httpHosts, key] },
    resources: parts.virtualHosts.base,
    keyOf: (host) => ({ namespace, port, host }),
  }));
}

/**
 * The namespace's overlay hosts that have a port of a number, for the namespace or for all namespaces:
 * a host may lose a port in a namespace.
 */
function deriveOverlayHttpHosts(context: Context): Derived<readonly string[], PortKey> {
  const { mesh } = context;
  return mesh.graph.derive("vhost.overlayHosts", portKeys, (read, { namespace, port }) => {
    const has = (seenBy: string, host: string): boolean =>
      findService(read, context, seenBy, host)?.ports.some((p) => p.number === port) === true;
    // At port 80 a VirtualService of a host may be served that is a service in this namespace.
    const routed = (host: string): boolean =>
      port === 80 && read.any(mesh.indexes.meshRoutesByHost, host) &&
      isRouted(read, context, { namespace, host });
    return read.get(mesh.scopes.overlayHosts, namespace)
      .filter((host) => has(namespace, host) || has("", host) || routed(host));
  });
}
