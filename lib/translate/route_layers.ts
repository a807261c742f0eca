/**
 * The layers of routes: whole tables, or, for proxies that take them apart,
 * skeletons and virtual hosts.
 *
 * @module
 */
import type { Collection, Derived, Resource } from "../graph/mod.ts";
import { type Context, pickService } from "./context.ts";
import { collection } from "./layer_parts.ts";
import type { Egress } from "./egress.ts";
import { deriveLabelledRoutes, type LabelledRoutes } from "./labelled_routes.ts";
import { type Layered, overlayOf } from "./placed.ts";
import { deriveRouteTables, type RouteTables } from "./route_tables.ts";
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

/** Whole tables. `sidecar` as in `Placement`, `labels` as in `labelsKey`. */
export function tableLayers(
  parts: Routes,
  ns: string,
  sidecar: string,
  labels: string,
): readonly Collection[] {
  const { tables, labelled } = parts;
  if (sidecar === "") {
    const own = collection(parts, `route/labelled/${ns}|${labels}`, () => ({
      members: { listFrom: [labelled.ports, `${ns}|${labels}`] },
      resources: labelled.tables,
      keyOf: (port) => `${ns}|${port}|${labels}`,
    }));
    const shared = { base: tables.public, overlay: tables.overlay };
    return [own, ...portTables(parts, "route", shared, "", ns)];
  }
  const scope = `${ns}|${sidecar}`;
  const own = collection(parts, `route/labelled/${scope}|${labels}`, () => ({
    members: { listFrom: [labelled.listeners, `${scope}|${labels}`] },
    resources: labelled.egressTables,
    keyOf: (member) => `${scope}|${member}|${labels}`,
  }));
  return [own, egressTables(parts, "route", tables.egress, scope)];
}

/** The same tables without their virtual hosts. */
export function skeletonLayers(parts: Routes, ns: string, sidecar: string): readonly Collection[] {
  const { vhds } = parts;
  return sidecar === ""
    ? portTables(parts, "skeleton", vhds.skeletons, "|", ns)
    : [egressTables(parts, "skeleton", vhds.egressSkeletons, `${ns}|${sidecar}`)];
}

/** The virtual hosts that are missing there. */
export function virtualHostLayers(
  parts: Routes,
  ns: string,
  sidecar: string,
  labels: string,
): readonly Collection[] {
  const { labelled } = parts;
  if (sidecar === "") {
    const own = collection(parts, `vhds/labelled/${ns}|${labels}`, () => ({
      members: { listFrom: [labelled.places, `${ns}|${labels}`] },
      resources: labelled.parts,
      keyOf: (place) => `${ns}|${place}|${labels}`,
    }));
    return [own, ...hostLayers(parts, ns)];
  }
  const scope = `${ns}|${sidecar}`;
  const own = collection(parts, `vhds/labelled/${scope}|${labels}`, () => ({
    members: { listFrom: [labelled.egressPlaces, `${scope}|${labels}`] },
    resources: labelled.egressParts,
    keyOf: (member) => `${ns}|${member}|${labels}`,
  }));
  return [own, egressParts(parts, scope)];
}

/** One table for each HTTP port. `prefix` is what keys of the shared ones begin with. */
function portTables(
  parts: Routes,
  kind: string,
  tables: Layered,
  prefix: string,
  ns: string,
): Collection[] {
  const { httpPortsSeenBy } = parts.context.mesh.indexes;
  return [
    collection(parts, `${kind}/overlay/${ns}`, () => ({
      members: { index: httpPortsSeenBy, buckets: ["", ns] },
      resources: tables.overlay,
      keyOf: (port) => `${ns}|${port}`,
    })),
    collection(parts, `${kind}/public`, () => ({
      members: { index: httpPortsSeenBy, buckets: [""] },
      resources: tables.base,
      keyOf: (port) => `${prefix}${port}`,
    })),
  ];
}

/** One table for each HTTP port of each listener of a Sidecar. */
function egressTables(
  parts: Routes,
  kind: string,
  tables: Derived<readonly Resource[]>,
  scope: string,
): Collection {
  return collection(parts, `${kind}/egress/${scope}`, () => ({
    members: { listFrom: [parts.egress.routeMembers, scope] },
    resources: tables,
    keyOf: (member) => `${scope}|${member}`,
  }));
}

/** The virtual hosts of a Sidecar's tables. */
function egressParts(parts: Routes, scope: string): Collection {
  const ns = scope.slice(0, scope.indexOf("|"));
  return collection(parts, `vhds/egress/${scope}`, () => ({
    members: { listFrom: [parts.egress.virtualHostMembers, scope] },
    resources: parts.vhds.egressHosts,
    keyOf: (member) => `${ns}|${member}`,
  }));
}

/** The virtual hosts of every port's table, by host. */
function hostLayers(parts: Routes, ns: string): Collection[] {
  const { indexes, scopes } = parts.context.mesh;
  const { base, overlay } = parts.vhds.hosts;
  const keyOf = (host: string) => `${ns}|${host}`;
  const shared = (host: string) => `|${host}`;
  return [
    collection(parts, `vhds/overlay/${ns}`, () => ({
      members: { listFrom: [scopes.overlayHosts, ns] },
      resources: overlay,
      keyOf,
    })),
    collection(parts, `vhds/overlay-routes/${ns}`, () => ({
      members: { listFrom: [scopes.routeHosts, ns] },
      resources: overlay,
      keyOf,
    })),
    collection(parts, "vhds/public", () => ({
      members: { index: indexes.hostsSeenBy, buckets: [""] },
      resources: base,
      keyOf: shared,
    })),
    collection(parts, "vhds/public-routes", () => ({
      members: { listFrom: [scopes.routeHosts, ""] },
      resources: base,
      keyOf: shared,
    })),
  ];
}

function publicHosts(parts: Pieces, port: string): Collection {
  return collection(parts, `vhost/${port}/public`, () => ({
    members: { index: parts.context.mesh.indexes.httpHosts, buckets: [`|${port}`] },
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
