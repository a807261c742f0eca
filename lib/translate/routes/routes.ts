/**
 * All tables that layers of routes are made of.
 *
 * @module
 */
import type { Collection, Derived, Resource } from "../../graph/mod.ts";
import { type Context, pickService } from "../context/mod.ts";
import { collection, type Layered, overlayOf } from "../resources/mod.ts";
import type { Egress } from "../sidecars/mod.ts";
import { deriveLabelledRoutes, type LabelledRoutes } from "./labelled_routes.ts";
import { deriveRouteTables, type RouteTables } from "./tables.ts";
import { deriveVhds, type VhdsTables } from "./vhds.ts";
import { deriveVirtualHosts } from "./virtual_hosts.ts";

/** Every table that the layers of routes are made of. */
export interface Routes {
  readonly context: Context;
  readonly egress: Egress;
  /** `NS|port|host` → the host's routes. */
  readonly virtualHosts: Derived<readonly Resource[]>;
  readonly tables: RouteTables;
  readonly vhds: VhdsTables;
  readonly labelled: LabelledRoutes;
}

/** What whole tables are made of. */
interface Pieces {
  readonly context: Context;
  readonly egress: Egress;
  readonly virtualHosts: Layered;
  readonly overlayHttpHosts: Derived<readonly string[]>;
}

/** Creates the tables. */
export function deriveRoutes(context: Context, egress: Egress): Routes {
  const base = deriveVirtualHosts(context);
  const pieces: Pieces = {
    context,
    egress,
    virtualHosts: { base, overlay: overlayOf(context, "vhost.overlay", base, 3, 0) },
    overlayHttpHosts: deriveOverlayHttpHosts(context),
  };
  const tables = deriveRouteTables(context, {
    cells: base,
    public: (port) => [publicHosts(pieces, port), ...publicRouteHosts(pieces, port)],
    overlay: (ns, port) => [overlayHosts(pieces, ns, port), ...overlayRouteHosts(pieces, ns, port)],
    egress: (ns, sidecar, listener, port) => [egressHosts(pieces, ns, sidecar, listener, port)],
  });
  return {
    context,
    egress,
    virtualHosts: base,
    tables,
    vhds: deriveVhds(context, base),
    labelled: deriveLabelledRoutes(context, base, tables, egress),
  };
}

function publicHosts(parts: Pieces, port: string): Collection {
  return collection(parts, `vhost/${port}/public`, () => ({
    members: {
      index: parts.context.mesh.indexes.httpHosts,
      buckets: [{ namespace: "", port: Number(port) }],
    },
    resources: parts.virtualHosts.base,
    keyOf: (host) => `|${port}|${host}`,
  }));
}

/** Hosts that only VirtualServices name are served at port 80. */
function publicRouteHosts(parts: Pieces, port: string): Collection[] {
  if (port !== "80") return [];
  return [collection(parts, `vhost/80/public-routes`, () => ({
    members: { listFrom: [parts.context.mesh.scopes.routeHosts, ""] },
    resources: parts.virtualHosts.base,
    keyOf: (host) => `|80|${host}`,
  }))];
}

function overlayHosts(parts: Pieces, ns: string, port: string): Collection {
  return collection(parts, `vhost/${port}/overlay/${ns}`, () => ({
    members: { listFrom: [parts.overlayHttpHosts, `${ns}|${port}`] },
    resources: parts.virtualHosts.overlay,
    keyOf: (host) => `${ns}|${port}|${host}`,
  }));
}

function overlayRouteHosts(parts: Pieces, ns: string, port: string): Collection[] {
  if (port !== "80") return [];
  return [collection(parts, `vhost/80/overlay-routes/${ns}`, () => ({
    members: { listFrom: [parts.context.mesh.scopes.routeHosts, ns] },
    resources: parts.virtualHosts.overlay,
    keyOf: (host) => `${ns}|80|${host}`,
  }))];
}

function egressHosts(
  parts: Pieces,
  ns: string,
  sidecar: string,
  listener: string,
  port: string,
): Collection {
  return collection(parts, `vhost/${port}/egress/${ns}|${sidecar}|${listener}`, () => ({
    members: { listFrom: [parts.egress.httpHosts, `${ns}|${sidecar}|${listener}|${port}`] },
    resources: parts.virtualHosts.base,
    keyOf: (host) => `${ns}|${port}|${host}`,
  }));
}

/**
 * `NS|port` → those of the namespace's overlay hosts that have a port of that
 * number, for the namespace or for everybody: a host may lose one.
 */
function deriveOverlayHttpHosts(context: Context): Derived<readonly string[]> {
  const { mesh } = context;
  return mesh.graph.derive<readonly string[]>("vhost.overlayHosts", (read, key) => {
    const bar = key.indexOf("|");
    const namespace = key.slice(0, bar);
    const port = Number(key.slice(bar + 1));
    const has = (seenBy: string, host: string): boolean =>
      pickService(read, context, seenBy, host)?.ports.some((p) => p.number === port) === true;
    // At port 80 everybody may be served a VirtualService of a host that is a service here.
    const routed = (host: string): boolean =>
      port === 80 && read.any(mesh.indexes.meshRoutesByHost, host);
    return read.get(mesh.scopes.overlayHosts, namespace)
      .filter((host) => has(namespace, host) || has("", host) || routed(host));
  });
}
