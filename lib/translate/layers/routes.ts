/**
 * The layers of routes: whole tables, or, for proxies that take them apart, skeletons and virtual
 * hosts.
 *
 * @module
 */
import type { Collection, Derived, Resource } from "../../graph/mod.ts";
import { collection, type Layered } from "../resources/mod.ts";
import type { Routes } from "../routes/mod.ts";

/** Whole tables. `sidecar` as in `Placement`, `labels` as in `labelKeys`. */
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
