/**
 * The layers that a proxy sees of each resource type: what is its class's own
 * over what its namespace sees otherwise over what everybody shares.
 *
 * @module
 */
import type { Collection } from "../graph/mod.ts";
import { deriveAssignments } from "./assignments.ts";
import { deriveClassTables } from "./class_layer.ts";
import type { Context } from "./context.ts";
import { deriveEgress, deriveEgressListeners } from "./egress.ts";
import { createExplained, type Explainable } from "./explained.ts";
import { deriveAutomatic } from "./gateway_automatic.ts";
import { deriveGatewayClusters } from "./gateway_clusters.ts";
import { deriveCredentials } from "./gateway_credentials.ts";
import { deriveGatewayTables } from "./gateway_tables.ts";
import { isGrpc, libraryLayers } from "./grpc_layers.ts";
import { deriveGrpcTables } from "./grpc_tables.ts";
import { deriveHttpProxy } from "./http_proxy.ts";
import { deriveLabelledListeners } from "./labelled_listeners.ts";
import type { Parts } from "./layer_parts.ts";
import { deriveOutboundClusters } from "./outbound_clusters.ts";
import { deriveOutboundListeners, deriveOverlayListeners } from "./outbound_listeners.ts";
import type { PatchedType } from "./patch/mod.ts";
import { createPatched, type Patched, PATCHED_BY } from "./patched.ts";
import { overlayOf } from "./placed.ts";
import { deriveRoutes } from "./route_layers.ts";
import { routerLayers } from "./router_layers.ts";
import type { LayersOf, Placement } from "./seats.ts";
import { sidecarLayers } from "./sidecar_layers.ts";
import { TYPE_URLS } from "./type_urls.ts";

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
