/**
 * The input tables of the Gateway API, and keys of routes.
 *
 * @module
 */
import { type Input, type KeyCodec, oneOf, pathOf, type Read, text } from "../../graph/mod.ts";
import type { ObjectKey } from "../../model/mod.ts";
import {
  type ApiBackend,
  type ApiMesh,
  type BackendTlsPolicy,
  type BackendTrafficPolicy,
  type ClassNames,
  type Gateway,
  type GatewayClass,
  type ListenerSet,
  type MaterialState,
  type ReferenceGrant,
  type Route,
  ROUTE_KINDS,
  type RouteKind,
} from "../../gateway_api/mod.ts";
import type { Tables } from "../inputs/mod.ts";

/** Tables of the kinds of the Gateway API; keys are `namespace/name`, and `/name` of classes and meshes. */
export interface GatewayApiTables {
  readonly gateways: Input<Gateway>;
  readonly gatewayClasses: Input<GatewayClass>;
  readonly listenerSets: Input<ListenerSet>;
  readonly referenceGrants: Input<ReferenceGrant>;
  readonly backendTlsPolicies: Input<BackendTlsPolicy>;
  readonly backendTrafficPolicies: Input<BackendTrafficPolicy>;
  readonly backends: Input<ApiBackend>;
  readonly meshes: Input<ApiMesh>;
  readonly routes: Readonly<Record<RouteKind, Input<Route>>>;
}

/** The tables among those of the mesh. */
export function gatewayApiTables(tables: Tables): GatewayApiTables {
  return {
    gateways: tables.kubernetesGateways,
    gatewayClasses: tables.gatewayClasses,
    listenerSets: tables.listenerSets,
    referenceGrants: tables.referenceGrants,
    backendTlsPolicies: tables.backendTlsPolicies,
    backendTrafficPolicies: tables.backendTrafficPolicies,
    backends: tables.backends,
    meshes: tables.meshes,
    routes: {
      HTTPRoute: tables.httpRoutes,
      GRPCRoute: tables.grpcRoutes,
      TLSRoute: tables.tlsRoutes,
      TCPRoute: tables.tcpRoutes,
      UDPRoute: tables.udpRoutes,
    },
  };
}

/** Settings and lookups that come from outside the room. */
export interface GatewayApiOptions {
  readonly names?: ClassNames;
  /** True: fields of the standard's experimental channel act. */
  readonly experimental: boolean;
  /** The state of a Secret with a certificate. */
  readonly certificate: (read: Read, secret: ObjectKey) => MaterialState;
  /** The state of certificates of authorities. */
  readonly authorities: (
    read: Read,
    kind: "ConfigMap" | "Secret",
    object: ObjectKey,
  ) => MaterialState;
  /** The state of a ConfigMap with parameters of Gateways. */
  readonly parameters: (read: Read, object: ObjectKey) => MaterialState;
}

/** A route among those of all kinds. */
export interface RouteKey extends ObjectKey {
  readonly kind: RouteKind;
}

/** The codec of keys of routes: `kind/namespace/name`. */
export const routeKeys: KeyCodec<RouteKey> = pathOf<RouteKey>({
  kind: oneOf(...ROUTE_KINDS),
  namespace: text,
  name: text,
});
