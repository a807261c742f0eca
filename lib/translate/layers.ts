/**
 * The layers that a proxy sees of each resource type: what is its class's own
 * over what its namespace sees otherwise over what everybody shares.
 *
 * @module
 */
import { labelsKey } from "../derive/mod.ts";
import type { Collection, CollectionSpec, Derived, Resource } from "../graph/mod.ts";
import { typeUrl } from "../proto/mod.ts";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { type ClassTables, deriveClassTables } from "./class_layer.ts";
import { type Context, familyOf, pickService } from "./context.ts";
import { deriveEgress, type Egress } from "./egress.ts";
import { flavourKey, flavourOf } from "./flavour.ts";
import { deriveGatewayTables, type GatewayTables } from "./gateway_tables.ts";
import {
  deriveAssignments,
  deriveOutboundClusters,
  type Layered,
  overlayOf,
} from "./outbound_clusters.ts";
import { deriveOutboundListeners, deriveOverlayListeners } from "./outbound_listeners.ts";
import { deriveRouteTables, type RouteTables } from "./route_tables.ts";
import type { LayersOf, Placement } from "./seats.ts";
import { deriveVirtualHosts } from "./virtual_hosts.ts";

/** Type URLs that are served, in the order in which additions are pushed. */
export const TYPE_URLS: Readonly<Record<"cluster" | "endpoint" | "listener" | "route", string>> = {
  cluster: typeUrl(ClusterSchema),
  endpoint: typeUrl(ClusterLoadAssignmentSchema),
  listener: typeUrl(ListenerSchema),
  route: typeUrl(RouteConfigurationSchema),
};

/** Every table that layers are made of. */
interface Parts {
  readonly context: Context;
  readonly clusters: Layered;
  readonly assignments: Layered;
  readonly listeners: Layered;
  readonly virtualHosts: Layered;
  readonly overlayHttpHosts: Derived<readonly string[]>;
  readonly overlayListeners: Derived<readonly string[]>;
  readonly egress: Egress;
  readonly own: ClassTables;
  readonly gateways: GatewayTables;
}

/** Creates all tables of translation and the function that finds a placement's layers. */
export function createLayers(context: Context): LayersOf {
  const virtualHosts = deriveVirtualHosts(context);
  const listeners = deriveOutboundListeners(context);
  const parts: Parts = {
    context,
    clusters: deriveOutboundClusters(context),
    assignments: deriveAssignments(context),
    listeners: {
      base: listeners,
      overlay: overlayOf(context, "lds.overlay", listeners, 3, 1),
    },
    virtualHosts: {
      base: virtualHosts,
      overlay: overlayOf(context, "vhost.overlay", virtualHosts, 3, 0),
    },
    overlayHttpHosts: deriveOverlayHttpHosts(context),
    overlayListeners: deriveOverlayListeners(context),
    egress: deriveEgress(context),
    own: deriveClassTables(context),
    gateways: deriveGatewayTables(context),
  };
  const tables = deriveRouteTables(context, {
    public: (port) => [publicHosts(parts, port), ...publicRouteHosts(parts, port)],
    overlay: (ns, port) => [overlayHosts(parts, ns, port), ...overlayRouteHosts(parts, ns, port)],
    egress: (ns, sidecar, listener, port) => [egressHosts(parts, ns, sidecar, listener, port)],
  });
  return (placement) =>
    placement.cls.role === "router"
      ? routerLayers(parts, placement)
      : sidecarLayers(parts, tables, placement);
}

function collection(parts: Parts, name: string, spec: () => CollectionSpec): Collection {
  return parts.context.mesh.graph.collection(name, spec);
}

function sidecarLayers(
  parts: Parts,
  tables: RouteTables,
  placement: Placement,
): Map<string, readonly Collection[]> {
  const { cls, sidecar } = placement;
  const flavour = flavourKey(flavourOf(cls));
  const ns = cls.namespace;
  const own = (type: "cluster" | "listener", table: Derived<readonly Resource[]>): Collection =>
    collection(parts, `${type}/class/${cls.key}`, () => ({
      members: { list: [cls.key] },
      resources: table,
    }));
  const outbound = sidecar === ""
    ? namespaceLayers(parts, tables, ns, familyOf(cls), flavour)
    : egressLayers(parts, tables, ns, sidecar, familyOf(cls), flavour);
  return new Map([
    [TYPE_URLS.cluster, [own("cluster", parts.own.clusters), ...outbound.clusters]],
    [TYPE_URLS.endpoint, outbound.endpoints],
    [TYPE_URLS.listener, [own("listener", parts.own.listeners), ...outbound.listeners]],
    [TYPE_URLS.route, outbound.routes],
  ]);
}

interface Outbound {
  readonly clusters: readonly Collection[];
  readonly endpoints: readonly Collection[];
  readonly listeners: readonly Collection[];
  readonly routes: readonly Collection[];
}

/** What a namespace reaches without a Sidecar: an overlay over what everybody sees. */
function namespaceLayers(
  parts: Parts,
  tables: RouteTables,
  ns: string,
  family: string,
  flavour: string,
): Outbound {
  const { indexes } = parts.context.mesh;
  return {
    clusters: clusterLayers(parts, ns, family),
    endpoints: endpointLayers(parts, ns),
    listeners: [
      collection(parts, `listener/${flavour}/overlay/${ns}`, () => ({
        members: { listFrom: [parts.overlayListeners, ns] },
        resources: parts.listeners.overlay,
        keyOf: (member) => `${flavour}|${ns}|${member}`,
      })),
      collection(parts, `listener/${flavour}/public`, () => ({
        members: { index: indexes.listenersSeenBy, buckets: [""] },
        resources: parts.listeners.base,
        keyOf: (member) => `${flavour}||${member}`,
      })),
    ],
    routes: [
      collection(parts, `route/overlay/${ns}`, () => ({
        members: { index: indexes.httpPortsSeenBy, buckets: ["", ns] },
        resources: tables.overlay,
        keyOf: (port) => `${ns}|${port}`,
      })),
      collection(parts, `route/public`, () => ({
        members: { index: indexes.httpPortsSeenBy, buckets: [""] },
        resources: tables.public,
      })),
    ],
  };
}

function clusterLayers(parts: Parts, ns: string, kind: string): Collection[] {
  const { mesh } = parts.context;
  return [
    collection(parts, `cluster/${kind}/overlay/${ns}`, () => ({
      members: { listFrom: [mesh.scopes.overlayHosts, ns] },
      resources: parts.clusters.overlay,
      keyOf: (host) => `${kind}|${ns}|${host}`,
    })),
    collection(parts, `cluster/${kind}/public`, () => ({
      members: { index: mesh.indexes.hostsSeenBy, buckets: [""] },
      resources: parts.clusters.base,
      keyOf: (host) => `${kind}||${host}`,
    })),
  ];
}

function endpointLayers(parts: Parts, ns: string): Collection[] {
  const { mesh } = parts.context;
  return [
    collection(parts, `endpoint/overlay/${ns}`, () => ({
      members: { listFrom: [mesh.scopes.overlayHosts, ns] },
      resources: parts.assignments.overlay,
      keyOf: (host) => `${ns}|${host}`,
    })),
    collection(parts, `endpoint/public`, () => ({
      members: { index: mesh.indexes.hostsSeenBy, buckets: [""] },
      resources: parts.assignments.base,
      keyOf: (host) => `|${host}`,
    })),
  ];
}

/** What a Sidecar lets a workload reach, and nothing else. */
function egressLayers(
  parts: Parts,
  tables: RouteTables,
  ns: string,
  sidecar: string,
  family: string,
  flavour: string,
): Outbound {
  const { mesh } = parts.context;
  const scope = `${ns}|${sidecar}`;
  return {
    clusters: [collection(parts, `cluster/${family}/egress/${scope}`, () => ({
      members: { listFrom: [mesh.scopes.egressHosts, `${scope}|*`] },
      resources: parts.clusters.base,
      keyOf: (host) => `${family}|${ns}|${host}`,
    }))],
    endpoints: [collection(parts, `endpoint/egress/${scope}`, () => ({
      members: { listFrom: [mesh.scopes.egressHosts, `${scope}|*`] },
      resources: parts.assignments.base,
      keyOf: (host) => `${ns}|${host}`,
    }))],
    listeners: [collection(parts, `listener/${flavour}/egress/${scope}`, () => ({
      members: { listFrom: [parts.egress.listenerMembers, scope] },
      resources: parts.egress.listeners,
      keyOf: (member) => `${flavour}|${scope}|${member}`,
    }))],
    routes: [collection(parts, `route/egress/${scope}`, () => ({
      members: { listFrom: [parts.egress.routeMembers, scope] },
      resources: tables.egress,
      keyOf: (member) => `${scope}|${member}`,
    }))],
  };
}

function publicHosts(parts: Parts, port: string): Collection {
  return collection(parts, `vhost/${port}/public`, () => ({
    members: { index: parts.context.mesh.indexes.httpHosts, buckets: [`|${port}`] },
    resources: parts.virtualHosts.base,
    keyOf: (host) => `|${port}|${host}`,
  }));
}

/** Hosts that only VirtualServices name are served at port 80. */
function publicRouteHosts(parts: Parts, port: string): Collection[] {
  if (port !== "80") return [];
  return [collection(parts, `vhost/80/public-routes`, () => ({
    members: { listFrom: [parts.context.mesh.scopes.routeHosts, ""] },
    resources: parts.virtualHosts.base,
    keyOf: (host) => `|80|${host}`,
  }))];
}

function overlayHosts(parts: Parts, ns: string, port: string): Collection {
  return collection(parts, `vhost/${port}/overlay/${ns}`, () => ({
    members: { listFrom: [parts.overlayHttpHosts, `${ns}|${port}`] },
    resources: parts.virtualHosts.overlay,
    keyOf: (host) => `${ns}|${port}|${host}`,
  }));
}

function overlayRouteHosts(parts: Parts, ns: string, port: string): Collection[] {
  if (port !== "80") return [];
  return [collection(parts, `vhost/80/overlay-routes/${ns}`, () => ({
    members: { listFrom: [parts.context.mesh.scopes.routeHosts, ns] },
    resources: parts.virtualHosts.overlay,
    keyOf: (host) => `${ns}|80|${host}`,
  }))];
}

function egressHosts(
  parts: Parts,
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

/** A gateway reaches what its namespace reaches, and listens for what its Gateways ask. */
function routerLayers(parts: Parts, placement: Placement): Map<string, readonly Collection[]> {
  const { cls } = placement;
  const { features } = parts.context;
  const family = familyOf(cls);
  const flavour = flavourKey(flavourOf(cls));
  const scope = `${features.scopeGatewayToNamespace ? cls.namespace : ""}|${labelsKey(cls.labels)}`;
  return new Map([
    [TYPE_URLS.cluster, [
      collection(parts, `cluster/router/${family}`, () => ({
        members: { list: [family] },
        resources: parts.own.routerClusters,
      })),
      ...clusterLayers(parts, cls.namespace, `${family}.router`),
    ]],
    [TYPE_URLS.endpoint, endpointLayers(parts, cls.namespace)],
    [TYPE_URLS.listener, [
      collection(parts, `listener/gateway/${flavour}/${cls.namespace}/${scope}`, () => ({
        members: { listFrom: [parts.gateways.portKeys, scope] },
        resources: parts.gateways.listeners,
        keyOf: (port) => `${flavour}|${cls.namespace}|${port}|${scope}`,
      })),
    ]],
    [TYPE_URLS.route, [
      collection(parts, `route/gateway/${cls.namespace}/${scope}`, () => ({
        members: { listFrom: [parts.gateways.tableKeys, scope] },
        resources: parts.gateways.routes,
        keyOf: (table) => `${cls.namespace}|${table}|${scope}`,
      })),
    ]],
  ]);
}
