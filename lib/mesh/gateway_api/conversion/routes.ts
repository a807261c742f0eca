/**
 * Conversion of a route to its parts: for each gateway or service, and each host, the rules there.
 *
 * @module
 */
import type {
  TCPRoute as ApiTcpRoute,
  TLSRoute as ApiTlsRoute,
} from "#mesh/gateway/v1/connection_routes_pb.ts";
import type { GRPCRoute } from "#mesh/gateway/v1/grpc_route_pb.ts";
import type { HTTPRoute as ApiHttpRoute } from "#mesh/gateway/v1/http_route_pb.ts";
import {
  HTTPMatchRequestSchema,
  type HTTPRoute,
  HTTPRouteSchema,
  type TCPRoute,
  TCPRouteSchema,
  type TLSRoute,
  TLSRouteSchema,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import {
  apiRuleOf,
  type ConfigObject,
  intersectHosts,
  objectKey,
  type ObjectMeta,
  withApiRule,
} from "../../model/mod.ts";
import type { BackendLookups } from "../binding/lookups.ts";
import {
  type ParentReference,
  referenced,
  type Route,
  type RouteKind,
} from "../binding/objects.ts";
import { hasHostnames } from "../binding/kinds.ts";
import type { Attachment, BoundParent } from "../binding/routes.ts";
import { connectionDestinations, type Destinations, destinationsFor } from "./destinations.ts";
import { convertGrpcRules, convertHttpRules } from "./http_rules.ts";
import { listenerKey } from "./listeners.ts";

/** The rules of a route at a gateway, or for clients of the mesh, and for one host. */
export interface RoutePart {
  /** Parts of equal groups, of any routes, become one VirtualService. */
  readonly group: string;
  /** Row key of a Gateway, or `mesh`. */
  readonly gateway: string;
  readonly host: string;
  /** True: the rules are for clients of the route's namespace alone. */
  readonly consumer?: true;
  readonly http: readonly HTTPRoute[];
  readonly tls: readonly TLSRoute[];
  readonly tcp: readonly TCPRoute[];
}

/** A route with its parts, each group at most once. */
export interface ConvertedRoute {
  readonly meta: Pick<ObjectMeta, "kind" | "namespace" | "name" | "creationTime" | "origin">;
  readonly parts: readonly RoutePart[];
}

/** Facts and lookups that conversion needs beside the objects. */
export interface ConversionContext {
  readonly domain: string;
  readonly look: BackendLookups;
  /** True: fields of the standard's experimental channel act. */
  readonly experimental: boolean;
}

/** A place where a route applies. */
interface Place {
  readonly gateway: string;
  readonly hosts: readonly string[];
  readonly port?: number;
  readonly consumer?: true;
}

/** Converts a route with its parents, of which those that do not accept it are left out. */
export function convertRoute(
  route: Route,
  parents: readonly BoundParent[],
  context: ConversionContext,
): ConvertedRoute {
  const { kind, namespace, name, creationTime, origin } = route.meta;
  const parts: RoutePart[] = [];
  const known = new Set<string>();
  const rulesOf = rulesFor(route, context);
  for (const place of placesOf(route, parents, context.domain)) {
    const rules = rulesOf(place.gateway === "mesh");
    for (const host of place.hosts) {
      const group = groupOf(route, place, { host, index: parts.length });
      const at = `${place.gateway} ${place.port ?? ""} ${host}`;
      if (known.has(at) || rules.count === 0) continue;
      known.add(at);
      const { gateway, consumer } = place;
      const part = { group, gateway, host, ...rules.at(host, place.port) };
      parts.push(consumer === undefined ? part : { ...part, consumer });
    }
  }
  return { meta: { kind, namespace, name, creationTime, origin }, parts };
}

/** Routes of HTTP and gRPC share hosts with others; those of connections stand alone. */
function groupOf(
  { meta: { kind, namespace, name } }: Route,
  { gateway, port }: Place,
  { host, index }: { readonly host: string; readonly index: number },
): string {
  if (kind !== "HTTPRoute" && kind !== "GRPCRoute") return `${kind} ${namespace}/${name} ${index}`;
  const where = gateway === "mesh"
    ? `mesh/${namespace}${port === undefined ? "" : `/${port}`}`
    : gateway;
  return `${where} ${host}`;
}

function placesOf(route: Route, parents: readonly BoundParent[], domain: string): Place[] {
  const named = route.spec.hostnames?.map((host) => host.toLowerCase()) ?? [];
  const hosts = named.length > 0 && hasHostnames(route.meta.kind) ? named : ["*"];
  return parents.filter(({ fault }) => fault === undefined)
    .toSorted((a, b) => order(textOf(a.ref), textOf(b.ref)))
    .flatMap(({ ref, attachments, services }) => {
      if (services !== undefined) return [meshPlace(route, ref, services, domain)];
      return attachments.filter(({ listener }) => listener.programmed)
        .map(({ listener }) => ({
          gateway: listenerKey(listener),
          hosts: hosts.filter((host) => isServedAt(host, listener)),
        }));
    });
}

/**
 * Reports if a listener serves a host of a route. A request is for one listener of its port: that with
 * the most specific hostname. A listener with a single host gets no other requests anyhow.
 */
function isServedAt(host: string, { hostname, others }: Attachment["listener"]): boolean {
  if (hostname !== "" && !hostname.startsWith("*")) return true;
  if (hostname !== "" && intersectHosts(hostname, host) === undefined) return false;
  return others.every((other) => other.length < hostname.length || !isWithin(host, other));
}

/** Reports if all hosts of a pattern are hosts of another. */
function isWithin(host: string, pattern: string): boolean {
  return pattern !== "" && (pattern === "*" || intersectHosts(pattern, host) === host);
}

function meshPlace(
  route: Route,
  ref: ParentReference,
  services: NonNullable<BoundParent["services"]>,
  domain: string,
): Place {
  const { namespace, name } = referenced(ref, route.meta.namespace);
  const hosts = ref.kind === "ServiceEntry"
    ? services.map(({ host }) => host)
    : [`${name}.${namespace}.svc.${domain}`];
  return {
    gateway: "mesh",
    hosts,
    ...(ref.port === undefined ? {} : { port: ref.port }),
    ...(namespace === route.meta.namespace ? {} : { consumer: true as const }),
  };
}

/** The text by which the parents of a route are ordered. */
function textOf(
  { group = "", kind = "", name, sectionName, port, namespace }: ParentReference,
): string {
  return `${group}/${kind}/${name}/${sectionName ?? ""}/${port ?? 0}.${namespace ?? ""}`;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type Rules = Pick<RoutePart, "http" | "tls" | "tcp">;

/** The rules of a route, for a host, and a port of its service. */
interface RouteRules {
  readonly count: number;
  at(host: string, port: number | undefined): Rules;
}

const NONE: Rules = { http: [], tls: [], tcp: [] };

/** The rules of a route, converted at most once for gateways and once for the mesh. */
function rulesFor(
  route: Route,
  { look, domain, experimental }: ConversionContext,
): (mesh: boolean) => RouteRules {
  const known = new Map<boolean, RouteRules>();
  return (mesh) => {
    const found = known.get(mesh) ??
      convertRules(route, destinationsFor(route, look, { domain, mesh }), experimental);
    known.set(mesh, found);
    return found;
  };
}

function convertRules(
  route: Route,
  destinations: Destinations,
  experimental: boolean,
): RouteRules {
  const row: ConfigObject = route;
  switch (route.meta.kind as RouteKind) {
    case "HTTPRoute":
      return requestRules(
        convertHttpRules(row as ConfigObject<ApiHttpRoute>, { destinations, experimental }),
      );
    case "GRPCRoute":
      return requestRules(
        convertGrpcRules(row as ConfigObject<GRPCRoute>, { destinations, experimental }),
      );
    case "TLSRoute":
    case "TCPRoute":
    case "UDPRoute":
      return connectionRules(row as ConfigObject<ApiTlsRoute | ApiTcpRoute>, destinations);
    default:
      return { count: 0, at: () => NONE };
  }
}

function requestRules(rules: readonly HTTPRoute[]): RouteRules {
  return {
    count: rules.length,
    at: (_host, port) => ({
      ...NONE,
      http: port === undefined ? rules : rules.map((rule) => atPort(rule, port)),
    }),
  };
}

/** A rule with a condition on the port. */
function atPort(rule: HTTPRoute, port: number): HTTPRoute {
  const match = rule.match.length === 0
    ? [create(HTTPMatchRequestSchema, { port })]
    : rule.match.map((one) => create(HTTPMatchRequestSchema, { ...one, port }));
  const found = create(HTTPRouteSchema, { ...rule, match });
  const api = apiRuleOf(rule);
  return api === undefined ? found : withApiRule(found, api);
}

function connectionRules(
  { meta, spec }: ConfigObject<ApiTlsRoute | ApiTcpRoute>,
  destinations: Destinations,
): RouteRules {
  const routes = spec.rules.map(({ backendRefs }) =>
    connectionDestinations(backendRefs, destinations)
  )
    .filter((route) => route.length > 0);
  return {
    count: routes.length,
    at: (host, port) => {
      const condition = port === undefined ? {} : { port };
      if (meta.kind === "TLSRoute") {
        const match = [{ sniHosts: [host], ...condition }];
        return { ...NONE, tls: routes.map((route) => create(TLSRouteSchema, { match, route })) };
      }
      const match = port === undefined ? [] : [condition];
      return { ...NONE, tcp: routes.map((route) => create(TCPRouteSchema, { match, route })) };
    },
  };
}

/** The row key of a route among those of all kinds. */
export function convertedKey({ meta }: Pick<ConvertedRoute, "meta">): string {
  return `${meta.kind}/${objectKey(meta)}`;
}
