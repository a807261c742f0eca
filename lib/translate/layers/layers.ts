/**
 * The layers that a proxy sees of each resource type: what is its class's own
 * over what its namespace sees otherwise over what everybody shares.
 *
 * @module
 */
import type { PatchedType } from "../../envoy/mod.ts";
import type { Collection } from "../../graph/mod.ts";
import { type Context, isGrpc, type LayersOf, type Placement } from "../context/mod.ts";
import { deriveAutomatic, deriveGatewayClusters, deriveGatewayTables } from "../gateways/mod.ts";
import { deriveGrpcTables } from "../grpc/mod.ts";
import { deriveClassTables } from "../inbound/mod.ts";
import {
  deriveAssignments,
  deriveEgressListeners,
  deriveLabelledListeners,
  deriveOutboundClusters,
  deriveOutboundListeners,
  deriveOverlayListeners,
} from "../outbound/mod.ts";
import { createPatched, type Patched, PATCHED_BY } from "../patches/mod.ts";
import { createExplained, type Explainable } from "../provenance/mod.ts";
import { overlayOf, TYPE_URLS } from "../resources/mod.ts";
import { deriveHttpProxy, deriveRoutes } from "../routes/mod.ts";
import { deriveCredentials } from "../security/mod.ts";
import { deriveEgress } from "../sidecars/mod.ts";
import { libraryLayers } from "./grpc.ts";
import type { Parts } from "./parts.ts";
import { routerLayers } from "./router.ts";
import { sidecarLayers } from "./sidecar.ts";

/** The layers of placements, and what patches do in them. */
export interface Layers {
  readonly of: LayersOf;
  readonly patches: Pick<Patched, "faults" | "counts">;
}

/** Creates all tables of translation and the function that finds a placement's layers. */
export function createLayers(context: Context): Layers {
  const egress = deriveEgress(context);
  const egressListeners = deriveEgressListeners(context);
  const listeners = deriveOutboundListeners(context);
  const clusters = deriveOutboundClusters(context);
  const assignments = deriveAssignments(context);
  const routes = deriveRoutes(context, egress);
  const parts: Parts = {
    context,
    clusters,
    assignments,
    listeners: {
      base: listeners,
      overlay: overlayOf(context, "lds.overlay", listeners, 3, 1),
    },
    overlayListeners: deriveOverlayListeners(context),
    labelledListeners: deriveLabelledListeners(context, listeners, egress, egressListeners),
    egress,
    egressListeners,
    routes,
    own: deriveClassTables(context),
    gateways: deriveGatewayTables(context),
    gatewayClusters: deriveGatewayClusters(context),
    automatic: deriveAutomatic(context, clusters.base, assignments.base, assignments.placed),
    credentials: deriveCredentials(context),
    httpProxy: deriveHttpProxy(
      context,
      routes.tables,
      egress,
      routes.labelled,
      routes.virtualHosts,
    ),
  };
  const tables = explainable(parts);
  const patched = createPatched(context.mesh, {
    cluster: tables[TYPE_URLS.cluster] ?? [],
    listener: tables[TYPE_URLS.listener] ?? [],
    route: tables[TYPE_URLS.route] ?? [],
    virtualHost: tables[TYPE_URLS.virtualHost] ?? [],
    extension: [],
  });
  const explained = createExplained(context.mesh.graph, withPatched(tables, patched));
  const grpc = deriveGrpcTables(context);
  const of: LayersOf = (placement) => {
    const layers = isGrpc(placement.cls)
      ? libraryLayers(parts, grpc, placement)
      : placement.cls.role === "router"
      ? patchedLayers(patched, placement, routerLayers(parts, placement))
      : patchedLayers(patched, placement, sidecarLayers(parts, placement));
    return placement.cls.options.EXPLAIN === "true" ? explained(layers) : layers;
  };
  return { of, patches: patched };
}

/** What of a class's own patches is laid over, and in place of, what it would see without them. */
function patchedLayers(
  patched: Patched,
  { cls, patching }: Placement,
  layers: ReadonlyMap<string, readonly Collection[]>,
): Map<string, readonly Collection[]> {
  const all = new Map([...layers, [TYPE_URLS.extension, []]]);
  for (const type of Object.keys(PATCHED_BY) as PatchedType[]) {
    const own = all.get(TYPE_URLS[type]);
    if (own === undefined) continue;
    all.set(TYPE_URLS[type], patched.layers(type, cls.role, patching[PATCHED_BY[type]], own));
  }
  return all;
}

/** The tables that can be explained, those of what is patched among them. */
function withPatched(tables: Explainable, patched: Patched): Explainable {
  const types = Object.keys(PATCHED_BY) as PatchedType[];
  const more = types.map((type) => {
    const url = TYPE_URLS[type];
    return [url, [...tables[url] ?? [], ...patched.tables[type]]] as const;
  });
  return { ...tables, ...Object.fromEntries(more) };
}

/** Every table of resources that can carry their provenance. */
function explainable(parts: Parts): Explainable {
  const { clusters, assignments, listeners, own, gateways, routes } = parts;
  const { tables, vhds, labelled } = routes;
  return {
    [TYPE_URLS.cluster]: [
      clusters.base,
      clusters.overlay,
      clusters.placed,
      own.clusters,
      own.routerClusters,
    ],
    [TYPE_URLS.endpoint]: [assignments.base, assignments.overlay, assignments.placed],
    [TYPE_URLS.listener]: [
      listeners.base,
      listeners.overlay,
      parts.egressListeners,
      parts.labelledListeners.listeners,
      parts.labelledListeners.egressListeners,
      own.listeners,
      gateways.listeners,
    ],
    [TYPE_URLS.route]: [
      tables.public,
      tables.overlay,
      tables.egress,
      vhds.skeletons.base,
      vhds.skeletons.overlay,
      vhds.egressSkeletons,
      labelled.tables,
      labelled.egressTables,
      gateways.routes,
    ],
    [TYPE_URLS.virtualHost]: [
      vhds.hosts.base,
      vhds.hosts.overlay,
      vhds.egressHosts,
      labelled.parts,
      labelled.egressParts,
    ],
  };
}
