/**
 * Virtual hosts of gateways: the VirtualServices that are served under a host, joined.
 *
 * @module
 */
import {
  type Route,
  RouteSchema,
  VirtualHost_TlsRequirementType as TlsRequirement,
  VirtualHostSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import type { RecordedDecision } from "../../../kit/base/mod.ts";
import { fromObject, type GatewayPort } from "../../derive/mod.ts";
import {
  hostPort,
  joinRoutes,
  type RouteSource,
  translateHttpRoutes,
  virtualHostFor,
} from "../../envoy/mod.ts";
import { create } from "../../../kit/proto/mod.ts";
import { isConverted } from "../../gateway_api/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import { destinationResolver, routeDefaults, silent } from "../context/mod.ts";
import type { Context } from "./features.ts";
import { encodeInParts } from "../resources/mod.ts";
import type { Claim, HostClaims } from "./virtual_services_of_hosts.ts";

/** Status of requests that came over a connection with the TLS of another server. */
const MISDIRECTED = 421;

/** A host at a gateway's port. */
interface ServedHost {
  readonly source: RouteSource;
  readonly port: GatewayPort;
  readonly host: string;
}

/** The virtual host of a host, with the routes of all VirtualServices that claim it. */
export function gatewayVirtualHost(
  read: Read,
  context: Context,
  served: ServedHost,
  { claims, redirect, misdirected }: HostClaims,
): Resource {
  const { host, port } = served;
  if (misdirected) return refusal(read, served);
  const found = claims.map((claim) => claimedRoutes(silent(read), context, served, claim));
  if (read.decide !== undefined) explainClaims(read, context, { served, claims, found });
  const { hideAttempts } = context.settings(read, "routes");
  const options = { host, port: port.number, gateway: true, hideAttempts };
  const message = virtualHostFor(options, joinRoutes(found));
  if (redirect) message.requireTls = TlsRequirement.ALL;
  return encodeInParts(read, message.name, VirtualHostSchema, message);
}

/** The virtual host of a host of another server. */
function refusal(read: Read, { host, port }: ServedHost): Resource {
  const options = { host, port: port.number, gateway: true };
  const message = virtualHostFor(options, [create(RouteSchema, {
    match: { pathSpecifier: { case: "prefix", value: "/" } },
    action: { case: "directResponse", value: { status: MISDIRECTED } },
  })]);
  return encodeInParts(read, message.name, VirtualHostSchema, message);
}

/** The routes of one VirtualService. */
function claimedRoutes(
  read: Read,
  context: Context,
  { source, port }: ServedHost,
  { route, gateways }: Claim,
): Route[] {
  const { mesh } = context;
  const row = read.get(mesh.tables.virtualServices, route);
  const spec = read.follow(mesh.routes.spec, route);
  if (row === undefined || spec === undefined) return [];
  read.decide?.({ group: "routes", ...fromObject(row, "spec.hosts"), value: gateways.join(", ") });
  return translateHttpRoutes(spec, {
    gateways,
    port: port.number,
    tls: port.family === "tls",
    vsNamespace: row.meta.namespace,
    vsName: row.meta.name,
    elements: isConverted(row.meta),
    source,
    mesh: routeDefaults(read, context),
    resolve: destinationResolver(read, context, { namespace: source.namespace }, port.number),
    decisions: read,
    parts: read,
  });
}

/** Records the decisions about the routes, at the places that the routes have in the virtual host. */
function explainClaims(
  read: Read,
  context: Context,
  { served, claims, found }: {
    readonly served: ServedHost;
    readonly claims: readonly Claim[];
    /** The routes of each claim. */
    readonly found: readonly (readonly Route[])[];
  },
): void {
  const inside = read.within(hostPort(served.host, served.port.number));
  const order = joinRoutes(found);
  for (const [i, claim] of claims.entries()) {
    const placed = inside.mapped(routesAt((at) => order.indexOf(found[i]![at]!)));
    claimedRoutes(placed, context, served, claim);
  }
}

/** Renames routes in decisions by the index that a route of one VirtualService has among all. */
function routesAt(place: (at: number) => number): (decision: RecordedDecision) => RecordedDecision {
  return ({ of = [], ...decision }) => {
    const [first = "", ...rest] = of;
    const at = /^routes\[(\d+)\]$/.exec(first)?.[1];
    return {
      ...decision,
      of: at === undefined ? of : [`routes[${place(Number(at))}]`, ...rest],
    };
  };
}
