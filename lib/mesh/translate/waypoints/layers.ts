/**
 * The layers of waypoints: what their services need, and nothing else.
 *
 * @module
 */
import { hostKeys } from "../../derive/mod.ts";
import type { Collection } from "../../graph/mod.ts";
import { objectKeys, type ProxyClass, serviceKeys } from "../../model/mod.ts";
import type { ClusterLayerTables } from "../clusters/mod.ts";
import {
  behindNodeProxy,
  type ClassBinding,
  type ClusterVariant,
  clusterVariantOf,
  clusterVariants,
} from "../context/mod.ts";
import type { EndpointLayerTables } from "../endpoints/mod.ts";
import { collection, TYPE_URLS } from "../resources/mod.ts";
import { secretLayer, type SecretLayerTables } from "../secrets/mod.ts";
import type { Context } from "./features.ts";
import { entranceServices, waypointOf, waypointPorts, type WaypointTables } from "./keys.ts";

/** The tables that layers of waypoints are made of. */
export interface WaypointLayerTables
  extends ClusterLayerTables, EndpointLayerTables, SecretLayerTables {
  readonly context: Context;
  readonly waypoints: WaypointTables;
}

export function waypointLayers(
  tables: WaypointLayerTables,
  binding: ClassBinding,
): Map<string, readonly Collection[]> {
  const { cls } = binding;
  const { waypoints } = tables;
  const waypoint = waypointOf(cls);
  const named = objectKeys.encode(waypoint);
  return new Map([
    [TYPE_URLS.cluster, [
      ...clusterLayers(tables, binding),
      ...entranceLayers(tables, cls, "cluster"),
    ]],
    [TYPE_URLS.endpoint, [
      ...endpointLayers(tables, binding),
      ...entranceLayers(tables, cls, "endpoint"),
    ]],
    [TYPE_URLS.listener, [
      collection(tables, `listener/waypoint/${cls.key}`, () => ({
        members: { list: [cls.key] },
        resources: waypoints.listeners,
      })),
    ]],
    [TYPE_URLS.route, [
      collection(tables, `route/waypoint/${named}`, () => ({
        members: { listFrom: [waypoints.routeKeys, waypoint], codec: waypointPorts },
        resources: waypoints.routes,
        keyOf: (port) => port,
      })),
      ...tables.context.features.networks === undefined ? [] : [
        collection(tables, `route/tunnels/${named}`, () => ({
          members: { list: [named] },
          resources: waypoints.tunnelRoutes,
          keyOf: () => waypoint,
        })),
      ],
    ]],
    [TYPE_URLS.secret, [secretLayer(tables, cls)]],
  ]);
}

/** Collections of a gateway between networks; empty for waypoints, and in meshes without tunnels between networks. */
function entranceLayers(
  { context, waypoints: { eastWest } }: WaypointLayerTables,
  cls: ProxyClass,
  type: "cluster" | "endpoint",
): Collection[] {
  if (context.features.networks === undefined) return [];
  const gateway = waypointOf(cls);
  return [
    collection({ context }, `${type}/eastWest/${objectKeys.encode(gateway)}`, () => ({
      members: { listFrom: [eastWest.services, gateway], codec: entranceServices },
      resources: type === "cluster" ? eastWest.clusters : eastWest.endpoints,
    })),
  ];
}

/** Waypoints share the clusters of sidecars: they know the original destination, too. */
function clusterLayers(tables: WaypointLayerTables, { cls }: ClassBinding): Collection[] {
  const { waypoints } = tables;
  const waypoint = waypointOf(cls);
  const variant: ClusterVariant = { ...clusterVariantOf(cls), role: "sidecar" };
  const named = `${clusterVariants.encode(variant)}/${objectKeys.encode(waypoint)}`;
  return [
    collection(tables, `cluster/waypoint/own/${cls.key}`, () => ({
      members: { list: [cls.key] },
      resources: waypoints.own,
    })),
    collection(tables, `cluster/waypoint/services/${named}`, () => ({
      members: { listFrom: [waypoints.services, waypoint], codec: serviceKeys },
      resources: waypoints.clusters,
      keyOf: ({ namespace, host }) => ({ variant, namespace, host }),
    })),
    collection(tables, `cluster/waypoint/others/${named}`, () => ({
      members: { listFrom: [waypoints.destinations, waypoint], codec: hostKeys },
      resources: tables.clusters.base,
      keyOf: ({ namespace, host }) => ({ variant, namespace, host }),
    })),
  ];
}

function endpointLayers(
  tables: WaypointLayerTables,
  { cls, locality }: ClassBinding,
): Collection[] {
  const { waypoints } = tables;
  const behind = behindNodeProxy(cls) !== undefined;
  const { base, local } = behind ? tables.capturedEndpoints : tables.waypointEndpoints;
  const waypoint = waypointOf(cls);
  const named = `${behind ? "behind/" : ""}${objectKeys.encode(waypoint)}`;
  const lists = [["services", waypoints.services, serviceKeys], [
    "others",
    waypoints.destinations,
    hostKeys,
  ]] as const;
  return lists.flatMap(([what, members, codec]) => [
    ...locality === "" ? [] : [
      collection(tables, `endpoint/waypoint/${what}/placed/${named}/${locality}`, () => ({
        members: { listFrom: [members, waypoint], codec },
        resources: local,
        keyOf: ({ namespace, host }) => ({ namespace, host, locality }),
      })),
    ],
    collection(tables, `endpoint/waypoint/${what}/${named}`, () => ({
      members: { listFrom: [members, waypoint], codec },
      resources: base,
      keyOf: ({ namespace, host }) => ({ namespace, host }),
    })),
  ]);
}
