/**
 * Indexes over the tables of the Gateway API.
 *
 * @module
 */
import { type Graph, type Index, type KeyCodec, keyOf, pathOf, text } from "../../graph/mod.ts";
import { type ObjectKey, objectKeys } from "../../model/mod.ts";
import {
  backendsOf,
  GATEWAY_GROUP,
  gatewayOfSet,
  isDefaultGateway,
  type ParentReference,
  referenced,
  type Route,
  ROUTE_KINDS,
  type RouteKind,
  usesDefaultGateways,
} from "../../gateway_api/mod.ts";
import { type GatewayApiTables, type RouteKey, routeKeys } from "./tables.ts";

/** A parent of routes. */
export interface ParentKey extends ObjectKey {
  readonly kind: "Gateway" | "ListenerSet";
}

/** The codec of keys of parents: `kind/namespace/name`. */
export const parentKeys: KeyCodec<ParentKey> = pathOf<ParentKey>({
  kind: text as KeyCodec<ParentKey["kind"]>,
  namespace: text,
  name: text,
});

/** A parent, and a namespace with routes. */
export interface ParentShare {
  readonly parent: ParentKey;
  readonly namespace: string;
}

/** The codec of keys of shares. */
export const shareKeys: KeyCodec<ParentShare> = keyOf<ParentShare>({
  parent: parentKeys,
  namespace: text,
});

/** Indexes over routes of one kind. */
export interface RouteIndexes {
  /** A parent → namespaces of the routes that name it. */
  readonly namespaces: Index<ParentKey>;
  /** A parent and a namespace → the routes there that name it. */
  readonly byParent: Index<ParentShare, RouteKey>;
  /** A Service → the routes that it is a backend of. */
  readonly byBackend: Index<ObjectKey, RouteKey>;
  /** An XBackend → the routes that it is a backend of. */
  readonly byApiBackend: Index<ObjectKey, RouteKey>;
}

/** Stands for the default Gateways, which routes do not name. */
export const DEFAULT_GATEWAYS: ParentKey = { kind: "Gateway", namespace: "", name: "*" };

export interface GatewayApiIndexes {
  /** Key `all` → the default Gateways. */
  readonly defaultGateways: Index<string, ObjectKey>;
  /** Namespace → row keys of its ReferenceGrants. */
  readonly grants: Index;
  /** A Gateway → row keys of the ListenerSets that name it. */
  readonly listenerSets: Index<ObjectKey, ObjectKey>;
  /** A Gateway → the Gateways that stand for it. */
  readonly aliases: Index<ObjectKey, ObjectKey>;
  /** A Service → row keys of the BackendTLSPolicies that target it. */
  readonly policies: Index<ObjectKey, ObjectKey>;
  /** A Service → row keys of the XBackendTrafficPolicies that target it. */
  readonly trafficPolicies: Index<ObjectKey, ObjectKey>;
  readonly routes: Readonly<Record<RouteKind, RouteIndexes>>;
}

/** Annotation of a Gateway with the name of one, of another controller, whose routes it serves. */
const ALIAS_FOR = "gateway.mesh.io/alias-for";

export function gatewayApiIndexes(graph: Graph, tables: GatewayApiTables): GatewayApiIndexes {
  const objects = { bucket: objectKeys, member: objectKeys };
  const routes = ROUTE_KINDS.map((kind) => [kind, routeIndexes(graph, tables, kind)] as const);
  return {
    defaultGateways: graph.index(
      tables.gateways,
      "GatewayApi.default",
      { bucket: text, member: objectKeys },
      function* ({ meta, spec }) {
        if (isDefaultGateway(spec)) yield ["all", meta];
      },
    ),
    grants: graph.index(
      tables.referenceGrants,
      "ReferenceGrant.namespace",
      { bucket: text, member: text },
      function* ({ meta }, key) {
        yield [meta.namespace, key];
      },
    ),
    listenerSets: graph.index(tables.listenerSets, "ListenerSet.gateway", objects, function* (set) {
      const gateway = gatewayOfSet(set);
      if (gateway !== undefined) yield [gateway, set.meta];
    }),
    aliases: graph.index(tables.gateways, "GatewayApi.alias", objects, function* ({ meta }) {
      const name = meta.annotations[ALIAS_FOR];
      if (name !== undefined) yield [{ namespace: meta.namespace, name }, meta];
    }),
    policies: graph.index(
      tables.backendTlsPolicies,
      "BackendTLSPolicy.target",
      objects,
      function* ({ meta, spec }) {
        for (const { name } of spec.targetRefs ?? []) {
          yield [{ namespace: meta.namespace, name }, meta];
        }
      },
    ),
    trafficPolicies: graph.index(
      tables.backendTrafficPolicies,
      "XBackendTrafficPolicy.target",
      objects,
      function* ({ meta, spec }) {
        for (const { name } of spec.targetRefs ?? []) {
          yield [{ namespace: meta.namespace, name }, meta];
        }
      },
    ),
    routes: Object.fromEntries(routes) as Record<RouteKind, RouteIndexes>,
  };
}

function routeIndexes(graph: Graph, tables: GatewayApiTables, kind: RouteKind): RouteIndexes {
  const table = tables.routes[kind];
  const member = (route: Route): RouteKey => ({ ...nameOf(route), kind });
  const byBackendOf = (backendKind: string, name: string) =>
    graph.index(table, name, { bucket: objectKeys, member: routeKeys }, function* (route) {
      for (const { ref } of backendsOf(route)) {
        if ((ref.kind || "Service") !== backendKind) continue;
        yield [referenced(ref, route.meta.namespace), member(route)];
      }
    });
  return {
    namespaces: graph.index(
      table,
      `${kind}.parentNamespace`,
      { bucket: parentKeys, member: text },
      function* (route) {
        for (const parent of parentsOf(route)) yield [parent, route.meta.namespace];
      },
    ),
    byParent: graph.index(
      table,
      `${kind}.parent`,
      { bucket: shareKeys, member: routeKeys },
      function* (route) {
        for (const parent of parentsOf(route)) {
          yield [{ parent, namespace: route.meta.namespace }, member(route)];
        }
      },
    ),
    byBackend: byBackendOf("Service", `${kind}.backend`),
    byApiBackend: byBackendOf("XBackend", `${kind}.xbackend`),
  };
}

function nameOf({ meta: { namespace, name } }: Route): ObjectKey {
  return { namespace, name };
}

function parentsOf(route: Route): ParentKey[] {
  const named = (route.spec.parentRefs ?? []).flatMap((ref) => {
    const kind = parentKind(ref);
    return kind === undefined ? [] : [{ kind, ...referenced(ref, route.meta.namespace) }];
  });
  return usesDefaultGateways(route.spec) ? [...named, DEFAULT_GATEWAYS] : named;
}

function parentKind({ group, kind }: ParentReference): ParentKey["kind"] | undefined {
  const name = kind || "Gateway";
  if ((group || GATEWAY_GROUP) !== GATEWAY_GROUP) return undefined;
  return name === "Gateway" || name === "ListenerSet" ? name : undefined;
}
