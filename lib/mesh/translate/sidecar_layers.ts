/**
 * The layers of sidecars: those of their class over the outbound ones.
 *
 * @module
 */
import type { Collection } from "../graph/mod.ts";
import {
  clusterLayers,
  type ClusterLayerTables,
  egressClusters,
  localClusters,
  sidecarClusterLayer,
} from "./clusters/mod.ts";
import { type ClassBinding, clusterVariantOf, variantOf, WORKLOAD_OPTION } from "./context/mod.ts";
import {
  egressEndpoints,
  endpointLayers,
  type EndpointLayerTables,
  localEndpoints,
} from "./endpoints/mod.ts";
import {
  clientListeners,
  egressListenerLayers,
  hiddenListeners,
  innerRouteLayer,
  listenerLayers,
  type ListenerLayerTables,
  sidecarListenerLayer,
} from "./listeners/mod.ts";
import { type RouteTable, TYPE_URLS } from "./resources/mod.ts";
import {
  askedLayer,
  bareTables,
  detectedLayers,
  httpProxyLayer,
  type HttpProxyTables,
  type Routes,
  skeletonLayers,
  tableLayers,
  virtualHostLayers,
} from "./routes/mod.ts";
import type { Context } from "./features.ts";
import {
  localCredentials,
  policyAuthorities,
  secretLayer,
  type SecretLayerTables,
} from "./secrets/mod.ts";

/** The tables that layers of sidecars are made of. */
export interface SidecarLayerTables
  extends ClusterLayerTables, EndpointLayerTables, ListenerLayerTables, SecretLayerTables {
  readonly context: Context;
  readonly routes: Routes;
  readonly httpProxy: HttpProxyTables;
  /** Key of a class → its routes of tunnels. */
  readonly innerRoutes: RouteTable;
}

type LayersByType = Map<string, readonly Collection[]>;

export function sidecarLayers(tables: SidecarLayerTables, binding: ClassBinding): LayersByType {
  const { cls, sidecar, locality, telemetry } = binding;
  const { namespace } = cls;
  const scope = { namespace, sidecar };
  const clusters = clusterVariantOf(cls);
  const listeners = variantOf(cls, telemetry);
  return new Map([
    [TYPE_URLS.cluster, [
      sidecarClusterLayer(tables, binding),
      ...localClusters(tables, binding),
      ...sidecar === ""
        ? clusterLayers(tables, namespace, clusters)
        : egressClusters(tables, scope, clusters),
    ]],
    [TYPE_URLS.endpoint, [
      ...localEndpoints(tables, binding),
      ...sidecar === "" ? endpointLayers(tables, cls) : egressEndpoints(tables, cls, scope),
    ]],
    [TYPE_URLS.listener, [
      sidecarListenerLayer(tables, binding),
      ...hiddenListeners(tables, binding),
      clientListeners(tables, binding, listeners),
      ...sidecar === ""
        ? listenerLayers(tables, namespace, listeners)
        : egressListenerLayers(tables, scope, listeners),
    ]],
    [TYPE_URLS.secret, [
      secretLayer(tables, cls),
      ...cls.options.CREDENTIALS === "true" && locality !== ""
        ? [localCredentials(tables, binding)]
        : [],
      ...cls.options.REFERRED === "true" ? [policyAuthorities(tables)] : [],
    ]],
    ...routeLayers(tables, binding),
  ]);
}

/** Whole route tables, or skeletons and virtual hosts for proxies that support VHDS. */
function routeLayers(tables: SidecarLayerTables, binding: ClassBinding): LayersByType {
  const { cls, sidecar } = binding;
  const { namespace, labels, options } = cls;
  const { routes } = tables;
  const clients = { namespace, sidecar, labels };
  const common = [
    httpProxyLayer(tables, binding),
    ...innerRouteLayer(tables, cls),
    ...detectedLayers(routes, clients),
  ];
  if (options.VHDS !== "true") {
    return new Map([[TYPE_URLS.route, [...common, ...tableLayers(routes, clients)]]]);
  }
  const workload = options[WORKLOAD_OPTION];
  if (workload !== undefined) {
    return new Map([
      [TYPE_URLS.route, [...common, bareTables(routes, { namespace, sidecar })]],
      [TYPE_URLS.virtualHost, [askedLayer(routes, clients, workload)]],
    ]);
  }
  return new Map([
    [TYPE_URLS.route, [...common, ...skeletonLayers(routes, { namespace, sidecar })]],
    [TYPE_URLS.virtualHost, virtualHostLayers(routes, clients)],
  ]);
}
