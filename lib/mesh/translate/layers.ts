/**
 * The layers that a proxy sees of each resource type: those of its class over the overlay of its
 * namespace over the base layer that all proxies share. One file for each role: sidecar, gateway
 * (router), waypoint, proxyless gRPC.
 *
 * @module
 */
import { changeKeys } from "../derive/mod.ts";
import type { PatchedType } from "../envoy/mod.ts";
import type { Collection } from "../graph/mod.ts";
import { type ClassBinding, isGrpc, type LayersOf } from "./context/mod.ts";
import type { Context } from "./features.ts";
import {
  deriveAutomatic,
  deriveDatagrams,
  deriveGatewayClusters,
  deriveGatewayTables,
  type GatewayLayerTables,
  routerLayers,
} from "./gateways/mod.ts";
import { deriveCertificates, deriveCredentials, pullCredentials } from "./secrets/mod.ts";
import { deriveGrpcTables, grpcLayers } from "./grpc/mod.ts";
import { deriveEgress } from "./egress/mod.ts";
import {
  deriveClassListeners,
  deriveEgressListeners,
  deriveHiddenListeners,
  deriveInnerRoutes,
  deriveOutboundListeners,
  deriveOverlayListeners,
  deriveSourceLabelListeners,
  deriveTunnelListeners,
} from "./listeners/mod.ts";
import { deriveEndpoints } from "./endpoints/mod.ts";
import { deriveClassClusters, deriveOutboundClusters } from "./clusters/mod.ts";
import { createPatched, type Parent, type Patched, PATCHED_BY } from "./patches/mod.ts";
import { createExplained, type Explainable } from "./provenance/mod.ts";
import { workloadClasses } from "./proxies/mod.ts";
import { type AnyResourceTable, anyTable, overlayOf, TYPE_URLS } from "./resources/mod.ts";
import { type AskedKey, deriveHttpProxy, deriveRoutes } from "./routes/mod.ts";
import { sidecarLayers, type SidecarLayerTables } from "./sidecar_layers.ts";
import { deriveWaypointTables, waypointLayers, type WaypointLayerTables } from "./waypoints/mod.ts";

/** The layers of class bindings, and the effects of patches in them. */
export interface Layers {
  readonly of: LayersOf;
  readonly patches: Pick<Patched, "faults" | "counts">;
  /** The host that a name stands for which proxies of a workload class asked for; empty: none. */
  hostAsked(workload: string, name: string): string;
}

/** The tables that layers are made of. */
interface LayerTables extends SidecarLayerTables, GatewayLayerTables, WaypointLayerTables {
  readonly context: Context;
}

/** Creates all tables of translation, and the function that finds the layers of a class binding. */
export function createLayers(context: Context): Layers {
  const { mesh } = context;
  const tables = deriveTables(context);
  const grpc = deriveGrpcTables(context);
  const byType = tablesByType(tables);
  const patched = createPatched(context, { ...byType, extension: [] }, parentsOf(tables));
  const explained = createExplained(mesh.graph, explainable(byType, patched));
  const of: LayersOf = (binding) => {
    const layers = isGrpc(binding.cls) ? grpcLayers(tables, grpc, binding) : withPullSecrets(
      tables,
      binding,
      patchedLayers(
        patched,
        binding,
        binding.cls.role === "router"
          ? routerLayers(tables, binding)
          : binding.cls.role === "waypoint"
          ? waypointLayers(tables, binding)
          : sidecarLayers(tables, binding),
      ),
    );
    return binding.cls.options.EXPLAIN === "true" ? explained(layers) : layers;
  };
  const hostAsked = (workload: string, name: string): string => {
    const { namespace, labels } = workloadClasses.decode(workload);
    const sidecar = mesh.graph.peek(mesh.scopes.sidecar, { namespace, labels });
    return mesh.graph.peek(tables.routes.asked.hostOf, { namespace, sidecar, labels, name });
  };
  return { of, patches: patched, hostAsked };
}

/** Virtual hosts on demand are patched as those of whole tables, whose names and domains patches select. */
function parentsOf({ routes: { asked } }: LayerTables): ReadonlyMap<AnyResourceTable, Parent> {
  const partOf: Parent["partOf"] = (read, key, parent) =>
    asked.partOf(read, key as AskedKey, parent);
  return new Map([[anyTable(asked.hosts), { table: anyTable(asked.parents), partOf }]]);
}

/** Creates the tables that layers are made of. */
function deriveTables(context: Context): LayerTables {
  const egress = deriveEgress(context);
  const listeners = deriveOutboundListeners(context);
  const egressListeners = deriveEgressListeners(context);
  const clusters = deriveOutboundClusters(context);
  const endpoints = deriveEndpoints(context);
  const tunnelEndpoints = deriveEndpoints(context, "tunnels");
  const routes = deriveRoutes(context, egress);
  return {
    context,
    clusters,
    endpoints,
    tunnelEndpoints,
    waypointEndpoints: context.features.networks === undefined
      ? tunnelEndpoints
      : deriveEndpoints(context, "waypoint"),
    capturedEndpoints: deriveEndpoints(context, "captured"),
    gatewayEndpoints: deriveEndpoints(context, "waypoints"),
    listeners: { base: listeners, overlay: overlayOf(context, "lds.overlay", listeners) },
    overlayListeners: deriveOverlayListeners(context),
    hiddenListeners: deriveHiddenListeners(context),
    sourceLabelListeners: deriveSourceLabelListeners(
      context,
      { listeners, egressListeners },
      egress,
    ),
    egress,
    egressListeners,
    routes,
    classClusters: deriveClassClusters(context),
    classListeners: deriveClassListeners(context),
    tunnelListeners: deriveTunnelListeners(context),
    certificates: deriveCertificates(context),
    gateways: deriveGatewayTables(context),
    gatewayClusters: deriveGatewayClusters(context),
    waypoints: deriveWaypointTables(context, clusters.base),
    automatic: deriveAutomatic(context, clusters.base, endpoints),
    datagrams: deriveDatagrams(context),
    credentials: deriveCredentials(context),
    innerRoutes: deriveInnerRoutes(context),
    httpProxy: deriveHttpProxy(context, routes, routes.sourceLabels),
  };
}

/** Adds the pull secrets of the class's plugins, for proxies that may read credentials. */
function withPullSecrets(
  tables: LayerTables,
  { cls, patching }: ClassBinding,
  layers: Map<string, readonly Collection[]>,
): Map<string, readonly Collection[]> {
  const changes = patching[PATCHED_BY.extension];
  if (cls.options.CREDENTIALS !== "true" || changeKeys.decode(changes).length === 0) return layers;
  const secrets = layers.get(TYPE_URLS.secret) ?? [];
  return layers.set(TYPE_URLS.secret, [...secrets, pullCredentials(tables, cls, changes)]);
}

/** Replaces the layers of a class by its patched layers. */
function patchedLayers(
  patched: Patched,
  { cls, patching }: ClassBinding,
  layers: ReadonlyMap<string, readonly Collection[]>,
): Map<string, readonly Collection[]> {
  const all = new Map([...layers, [TYPE_URLS.extension, []]]);
  for (const type of Object.keys(PATCHED_BY) as PatchedType[]) {
    const own = all.get(TYPE_URLS[type]);
    if (own === undefined) continue;
    const changes = changeKeys.decode(patching[PATCHED_BY[type]]);
    all.set(TYPE_URLS[type], patched.layers(type, { role: cls.role, changes }, own));
  }
  return all;
}

type TablesByType = Omit<Patched["tables"], "extension"> & {
  readonly endpoint: Patched["tables"]["cluster"];
};

/** The tables that can be explained, with those of patched resources. */
function explainable(tables: TablesByType, patched: Patched): Explainable {
  const types = Object.keys(PATCHED_BY) as PatchedType[];
  const patchable = types.map((type) => {
    const original = type === "extension" ? [] : tables[type];
    return [TYPE_URLS[type], [...original, ...patched.tables[type]]] as const;
  });
  return { [TYPE_URLS.endpoint]: tables.endpoint, ...Object.fromEntries(patchable) };
}

/** All tables of resources that can be patched or explained. */
function tablesByType(all: LayerTables): TablesByType {
  const { clusters, endpoints, tunnelEndpoints, listeners, classClusters, gateways } = all;
  const { routes, sourceLabelListeners } = all;
  const { tables, onDemand, sourceLabels, detected, asked } = routes;
  return {
    cluster: [
      anyTable(clusters.base),
      anyTable(clusters.overlay),
      anyTable(clusters.local),
      anyTable(classClusters.sidecars),
      anyTable(classClusters.gateways),
      anyTable(classClusters.tunnels),
      anyTable(all.waypoints.own),
      anyTable(all.waypoints.clusters),
      anyTable(all.waypoints.eastWest.clusters),
    ],
    endpoint: [
      ...new Set([
        endpoints,
        tunnelEndpoints,
        all.waypointEndpoints,
        all.capturedEndpoints,
        all.gatewayEndpoints,
      ]),
    ].flatMap((
      { base, overlay, local },
    ) => [
      anyTable(base),
      anyTable(overlay),
      anyTable(local),
    ]).concat(anyTable(all.waypoints.eastWest.endpoints)),
    listener: [
      anyTable(listeners.base),
      anyTable(listeners.overlay),
      anyTable(all.egressListeners),
      anyTable(sourceLabelListeners.listeners),
      anyTable(sourceLabelListeners.egressListeners),
      anyTable(all.classListeners),
      anyTable(all.tunnelListeners),
      anyTable(all.waypoints.listeners),
      anyTable(gateways.listeners),
    ],
    route: [
      anyTable(tables.public),
      anyTable(tables.overlay),
      anyTable(tables.egress),
      anyTable(onDemand.skeletons.base),
      anyTable(onDemand.skeletons.overlay),
      anyTable(onDemand.egressSkeletons),
      anyTable(asked.bare),
      anyTable(sourceLabels.tables),
      anyTable(sourceLabels.egressTables),
      anyTable(detected.tables.base),
      anyTable(detected.tables.overlay),
      anyTable(detected.sourceLabels),
      anyTable(all.httpProxy.tables),
      anyTable(all.innerRoutes),
      anyTable(gateways.routes),
      anyTable(gateways.skeletons),
      anyTable(all.waypoints.routes),
      anyTable(all.waypoints.tunnelRoutes),
    ],
    virtualHost: [
      anyTable(onDemand.hosts.base),
      anyTable(onDemand.hosts.overlay),
      anyTable(onDemand.egressHosts),
      anyTable(asked.hosts),
      anyTable(sourceLabels.parts),
      anyTable(sourceLabels.egressParts),
      anyTable(gateways.parts),
    ],
  };
}
