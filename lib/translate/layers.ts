/**
 * The layers that a proxy sees of each resource type: what is its class's own
 * over what its namespace sees otherwise over what everybody shares.
 *
 * @module
 */
import { givenBucket, labelsKey } from "../derive/mod.ts";
import type { Collection, CollectionSpec, Derived, Resource } from "../graph/mod.ts";
import type { ProxyClass } from "../model/mod.ts";
import { typeUrl } from "../proto/mod.ts";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { TypedExtensionConfigSchema } from "#envoy/config/core/v3/extension_pb.ts";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { type ClassTables, deriveClassTables, secretsKey } from "./class_layer.ts";
import { type Context, familyOf } from "./context.ts";
import { deriveLabelledListeners, type LabelledListeners } from "./labelled_listeners.ts";
import { deriveEgress, type Egress, egressKey } from "./egress.ts";
import { createExplained, type Explainable, namedCollection } from "./explained.ts";
import { automaticPlace, type AutomaticTables, deriveAutomatic } from "./gateway_automatic.ts";
import { type CredentialTables, deriveCredentials } from "./gateway_credentials.ts";
import { flavourKey, flavourOf, parseFlavour } from "./flavour.ts";
import { deriveGatewayClusters, type GatewayClusterTables, placedKey } from "./gateway_clusters.ts";
import { deriveGatewayTables, type GatewayTables } from "./gateway_tables.ts";
import { deriveHttpProxy, type HttpProxyTables } from "./http_proxy.ts";
import { deriveAssignments } from "./assignments.ts";
import { deriveOutboundClusters } from "./outbound_clusters.ts";
import { type Layered, overlayOf, type Placed } from "./placed.ts";
import {
  deriveOutboundListeners,
  deriveOverlayListeners,
  overlayKey,
} from "./outbound_listeners.ts";
import {
  deriveRoutes,
  type Routes,
  skeletonLayers,
  tableLayers,
  virtualHostLayers,
} from "./route_layers.ts";
import { clusterKind } from "./mutual.ts";
import { importedBy } from "./provenance/mod.ts";
import { deriveGrpcTables, grpcLayers, type GrpcTables, isGrpc } from "./grpc_layers.ts";
import { createPatched, type Patched, PATCHED_BY } from "./patched.ts";
import type { PatchedType } from "./patch/mod.ts";
import type { LayersOf, Placement } from "./seats.ts";

/** Names of the types that are served. */
type TypeName =
  | "cluster"
  | "endpoint"
  | "listener"
  | "route"
  | "virtualHost"
  | "secret"
  | "extension";

/**
 * Type URLs that are served, in the order in which additions are pushed. Virtual
 * hosts are not served to everybody: a proxy that is not has no view of them, and
 * whole route tables.
 */
export const TYPE_URLS: Readonly<Record<TypeName, string>> = {
  cluster: typeUrl(ClusterSchema),
  endpoint: typeUrl(ClusterLoadAssignmentSchema),
  listener: typeUrl(ListenerSchema),
  route: typeUrl(RouteConfigurationSchema),
  virtualHost: typeUrl(VirtualHostSchema),
  secret: typeUrl(SecretSchema),
  extension: typeUrl(TypedExtensionConfigSchema),
};

/** Every table that layers are made of. */
interface Parts {
  readonly context: Context;
  readonly clusters: Placed;
  readonly assignments: Placed;
  readonly listeners: Layered;
  readonly overlayListeners: Derived<readonly string[]>;
  readonly labelledListeners: LabelledListeners;
  readonly egress: Egress;
  readonly routes: Routes;
  readonly own: ClassTables;
  readonly gateways: GatewayTables;
  readonly gatewayClusters: GatewayClusterTables;
  readonly automatic: AutomaticTables;
  readonly credentials: CredentialTables;
  readonly httpProxy: HttpProxyTables;
}

/** The layers of placements, and what patches do in them. */
export interface Layers {
  readonly of: LayersOf;
  readonly patches: Pick<Patched, "faults" | "counts">;
}

/** Creates all tables of translation and the function that finds a placement's layers. */
export function createLayers(context: Context): Layers {
  const egress = deriveEgress(context);
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
    labelledListeners: deriveLabelledListeners(context, listeners, egress),
    egress,
    routes,
    own: deriveClassTables(context),
    gateways: deriveGatewayTables(context),
    gatewayClusters: deriveGatewayClusters(context),
    automatic: deriveAutomatic(context, clusters.base, assignments.base, assignments.placed),
    credentials: deriveCredentials(context),
    httpProxy: deriveHttpProxy(context, routes.tables, egress),
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
  const grpc = deriveGrpcTables(context, parts.routes.virtualHosts);
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
  const { clusters, assignments, listeners, own, egress, gateways, routes } = parts;
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
      egress.listeners,
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

function collection(parts: Parts, name: string, spec: () => CollectionSpec): Collection {
  return namedCollection(parts.context.mesh.graph, name, spec);
}

/** A library's layers: of other forms, but for endpoints. */
function libraryLayers(
  parts: Parts,
  tables: GrpcTables,
  placement: Placement,
): Map<string, readonly Collection[]> {
  const { cls } = placement;
  const layers = grpcLayers(parts.context, tables, cls);
  return new Map([
    [TYPE_URLS.cluster, layers.cluster],
    [TYPE_URLS.endpoint, [
      // Libraries are narrowed by no Sidecar.
      ...placedEndpoints(parts, { ...placement, sidecar: "" }),
      ...endpointLayers(parts, cls.namespace),
    ]],
    [TYPE_URLS.listener, layers.listener],
    [TYPE_URLS.route, layers.route],
  ]);
}

function sidecarLayers(
  parts: Parts,
  placement: Placement,
): Map<string, readonly Collection[]> {
  const { cls, sidecar } = placement;
  const flavour = flavourKey(flavourOf(cls, placement.telemetry));
  const ns = cls.namespace;
  const labels = labelsKey(cls.labels);
  const own = (type: "cluster" | "listener", table: Derived<readonly Resource[]>): Collection =>
    collection(parts, `${type}/class/${cls.key}`, () => ({
      members: { list: [cls.key] },
      resources: table,
    }));
  const proxied = collection(parts, `route/httpProxy/${sidecar}|${cls.key}`, () => ({
    members: { listFrom: [parts.httpProxy.members, `${sidecar}|${cls.key}`] },
    resources: parts.httpProxy.tables,
  }));
  const outbound = sidecar === ""
    ? namespaceLayers(parts, ns, clusterKind(cls), flavour)
    : egressLayers(parts, ns, sidecar, clusterKind(cls), flavour);
  const labelled = labelledListeners(parts, ns, sidecar, flavour, labels);
  return new Map([
    [TYPE_URLS.cluster, [
      own("cluster", parts.own.clusters),
      ...placedClusters(parts, placement),
      ...outbound.clusters,
    ]],
    [TYPE_URLS.endpoint, [...placedEndpoints(parts, placement), ...outbound.endpoints]],
    [TYPE_URLS.listener, [
      own("listener", parts.own.listeners),
      labelled,
      ...outbound.listeners,
    ]],
    [TYPE_URLS.secret, [
      secretLayer(parts, cls),
      ...(cls.options.LOCAL === "true" && placement.place !== ""
        ? [placeCredentials(parts, placement)]
        : []),
    ]],
    ...(cls.options.VHDS === "true"
      ? [
        [TYPE_URLS.route, [proxied, ...skeletonLayers(parts.routes, ns, sidecar)]],
        [TYPE_URLS.virtualHost, virtualHostLayers(parts.routes, ns, sidecar, labels)],
      ] as const
      : [[TYPE_URLS.route, [proxied, ...tableLayers(parts.routes, ns, sidecar, labels)]]] as const),
  ]);
}

/** Listeners whose connections go elsewhere for callers with these labels. */
function labelledListeners(
  parts: Parts,
  ns: string,
  sidecar: string,
  flavour: string,
  labels: string,
): Collection {
  const { members, listeners, egressMembers, egressListeners } = parts.labelledListeners;
  if (sidecar === "") {
    return collection(parts, `listener/${flavour}/labelled/${ns}|${labels}`, () => ({
      members: { listFrom: [members, ns] },
      resources: listeners,
      keyOf: (member) => `${flavour}|${ns}|${member}|${labels}`,
    }));
  }
  const scope = `${ns}|${sidecar}`;
  return collection(parts, `listener/${flavour}/labelled/${scope}|${labels}`, () => ({
    members: { listFrom: [egressMembers, egressKey(scope, parseFlavour(flavour))] },
    resources: egressListeners,
    keyOf: (member) => `${flavour}|${scope}|${member}|${labels}`,
  }));
}

/** Secrets depend on nothing but the files that a proxy declares. */
function secretLayer(parts: Parts, cls: ProxyClass): Collection {
  const key = secretsKey(cls);
  return collection(parts, `secret/${key}`, () => ({
    members: { list: [key] },
    resources: parts.own.secrets,
  }));
}

/** Endpoints of the services that a gateway sends connections on to by their names. */
function automaticEndpoints(parts: Parts, { cls, place }: Placement, scope: string): Collection {
  const { namespace } = cls;
  const at = automaticPlace(place);
  return collection(parts, `endpoint/automatic/${namespace}/${scope}|${at}`, () => ({
    members: { listFrom: [parts.automatic.hosts, `${namespace}|${scope}`] },
    resources: parts.automatic.assignments,
    keyOf: (host) => `${namespace}|${host}|${at}`,
  }));
}

/** What the Gateways of a scope name among the credentials of the proxies' namespace. */
function credentialLayer(parts: Parts, namespace: string, scope: string): Collection {
  return collection(parts, `secret/gateway/${namespace}/${scope}`, () => ({
    members: { listFrom: [parts.credentials.named, scope] },
    resources: parts.credentials.secrets,
    keyOf: (secret) => `${namespace}|${secret}`,
  }));
}

/** What rules name, among the credentials of a gateway's namespace. */
function ruleCredentials(parts: Parts, namespace: string): Collection {
  return collection(parts, `secret/rules/${namespace}`, () => ({
    members: { listFrom: [parts.credentials.ofRules, ""] },
    resources: parts.credentials.secrets,
    keyOf: (secret) => `${namespace}|${secret}`,
  }));
}

/** What rules name that select a workload, among the credentials of its namespace. */
function placeCredentials(parts: Parts, { cls, place }: Placement): Collection {
  return collection(parts, `secret/place/${cls.namespace}|${place}`, () => ({
    members: { listFrom: [parts.credentials.ofPlace, place] },
    resources: parts.credentials.secrets,
    keyOf: (secret) => `${cls.namespace}|${secret}`,
  }));
}

interface Outbound {
  readonly clusters: readonly Collection[];
  readonly endpoints: readonly Collection[];
  readonly listeners: readonly Collection[];
}

/** What a namespace reaches without a Sidecar: an overlay over what everybody sees. */
function namespaceLayers(
  parts: Parts,
  ns: string,
  family: string,
  flavour: string,
): Outbound {
  const { indexes } = parts.context.mesh;
  const { given } = parseFlavour(flavour);
  return {
    clusters: clusterLayers(parts, ns, family),
    endpoints: endpointLayers(parts, ns),
    listeners: [
      collection(parts, `listener/${flavour}/overlay/${ns}`, () => ({
        members: { listFrom: [parts.overlayListeners, overlayKey(ns, { given })] },
        resources: parts.listeners.overlay,
        keyOf: (member) => `${flavour}|${ns}|${member}`,
      })),
      collection(parts, `listener/${flavour}/public`, () => ({
        members: {
          index: indexes.listenersSeenBy,
          buckets: ["", ...(given ? [givenBucket("")] : [])],
        },
        resources: parts.listeners.base,
        keyOf: (member) => `${flavour}||${member}`,
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

/** What proxies of a place see otherwise than others of their namespace, of the hosts concerned alone. */
function placedEndpoints(parts: Parts, { cls, sidecar, place }: Placement): Collection[] {
  if (place === "") return [];
  const scope = `${cls.namespace}|${sidecar}|${place}`;
  const layer = collection(parts, `endpoint/placed/${scope}`, () => ({
    members: { listFrom: [parts.context.mesh.places.hosts, scope] },
    resources: parts.assignments.placed,
    keyOf: (host) => `${cls.namespace}|${host}|${place}`,
  }));
  return [sidecar === "" ? layer : importedBy(layer, `${cls.namespace}|${sidecar}`)];
}

/** The same of clusters: those of other rules, and those whose endpoints are within them. */
function placedClusters(parts: Parts, { cls, sidecar, place }: Placement): Collection[] {
  if (place === "") return [];
  const scope = `${cls.namespace}|${sidecar}|${place}`;
  const kind = clusterKind(cls);
  const layer = collection(parts, `cluster/${kind}/placed/${scope}`, () => ({
    members: { listFrom: [parts.context.mesh.places.clusterHosts, scope] },
    resources: parts.clusters.placed,
    keyOf: (host) => `${kind}|${cls.namespace}|${host}|${place}`,
  }));
  return [sidecar === "" ? layer : importedBy(layer, `${cls.namespace}|${sidecar}`)];
}

/** The clusters that a gateway can send something to, and no others. */
function gatewayClusters(parts: Parts, { cls, place }: Placement, scope: string): Collection[] {
  const { namespace } = cls;
  const kind = clusterKind(cls);
  const at = placedKey(namespace, scope, place);
  const everywhere = collection(parts, `cluster/${kind}/used/${namespace}/${scope}`, () => ({
    members: { listFrom: [parts.gatewayClusters.hosts, `${namespace}|${scope}`] },
    resources: parts.clusters.base,
    keyOf: (host) => `${kind}|${namespace}|${host}`,
  }));
  if (place === "") return [everywhere];
  const here = collection(parts, `cluster/${kind}/used/placed/${at}`, () => ({
    members: { listFrom: [parts.gatewayClusters.placed, at] },
    resources: parts.clusters.placed,
    keyOf: (host) => `${kind}|${namespace}|${host}|${place}`,
  }));
  return [here, everywhere];
}

/** What a Sidecar lets a workload reach, and nothing else. */
function egressLayers(
  parts: Parts,
  ns: string,
  sidecar: string,
  family: string,
  flavour: string,
): Outbound {
  const { mesh } = parts.context;
  const scope = `${ns}|${sidecar}`;
  return {
    clusters: [importedBy(
      collection(parts, `cluster/${family}/egress/${scope}`, () => ({
        members: { listFrom: [mesh.scopes.egressHosts, `${scope}|*`] },
        resources: parts.clusters.base,
        keyOf: (host) => `${family}|${ns}|${host}`,
      })),
      scope,
    )],
    endpoints: [importedBy(
      collection(parts, `endpoint/egress/${scope}`, () => ({
        members: { listFrom: [mesh.scopes.egressHosts, `${scope}|*`] },
        resources: parts.assignments.base,
        keyOf: (host) => `${ns}|${host}`,
      })),
      scope,
    )],
    listeners: [collection(parts, `listener/${flavour}/egress/${scope}`, () => ({
      members: {
        listFrom: [parts.egress.listenerMembers, egressKey(scope, parseFlavour(flavour))],
      },
      resources: parts.egress.listeners,
      keyOf: (member) => `${flavour}|${scope}|${member}`,
    }))],
  };
}

/** A gateway reaches what its namespace reaches, and listens for what its Gateways ask. */
function routerLayers(parts: Parts, placement: Placement): Map<string, readonly Collection[]> {
  const { cls } = placement;
  const { features } = parts.context;
  const family = familyOf(cls);
  const flavour = flavourKey(flavourOf(cls, placement.telemetry));
  const scope = `${features.scopeGatewayToNamespace ? cls.namespace : ""}|${labelsKey(cls.labels)}`;
  return new Map([
    [TYPE_URLS.cluster, [
      collection(parts, `cluster/router/${family}`, () => ({
        members: { list: [family] },
        resources: parts.own.routerClusters,
      })),
      collection(parts, `cluster/automatic/${family}/${cls.namespace}/${scope}`, () => ({
        members: { listFrom: [parts.automatic.hosts, `${cls.namespace}|${scope}`] },
        resources: parts.automatic.clusters,
        keyOf: (host) => `${family}.router|${cls.namespace}|${host}`,
      })),
      ...features.filterGatewayClusters ? gatewayClusters(parts, placement, scope) : [
        ...placedClusters(parts, placement),
        ...clusterLayers(parts, cls.namespace, clusterKind(cls)),
      ],
    ]],
    [TYPE_URLS.endpoint, [
      automaticEndpoints(parts, placement, scope),
      ...placedEndpoints(parts, placement),
      ...endpointLayers(parts, cls.namespace),
    ]],
    [TYPE_URLS.secret, [
      secretLayer(parts, cls),
      ...(cls.options.LOCAL === "true"
        ? [credentialLayer(parts, cls.namespace, scope), ruleCredentials(parts, cls.namespace)]
        : []),
    ]],
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
