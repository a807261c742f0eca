/**
 * Virtual hosts of gateways: the VirtualServices that are served under a host, the oldest first.
 *
 * @module
 */
import {
  type Route,
  VirtualHost_TlsRequirementType as TlsRequirement,
  VirtualHostSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import type { RecordedDecision } from "../../base/mod.ts";
import { fromObject, type GatewayPort, servedHosts } from "../../derive/mod.ts";
import {
  hostPort,
  type RouteSource,
  translateHttpRoutes,
  virtualHostFor,
} from "../../envoy/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import { fullHost, objectKey } from "../../model/mod.ts";
import { type Context, destinationResolver, routeDefaults } from "../context/mod.ts";
import { encodeResource } from "../resources/mod.ts";
import { boundRoutes } from "./bound_routes.ts";

/** A VirtualService that is served under a host, and the Gateways that serve it. */
interface Claim {
  /** `namespace/name`. */
  readonly route: string;
  readonly gateways: readonly string[];
}

/** The VirtualServices that are served under a host. */
export interface HostClaims {
  /** Oldest first. */
  readonly claims: readonly Claim[];
  /** True if clients are redirected to HTTPS. */
  readonly redirect: boolean;
}

/** The claims of a host that no VirtualService names. */
export const UNCLAIMED: HostClaims = { claims: [], redirect: false };

/** The claims of a port, by host. Hosts that redirect to HTTPS need no VirtualService. */
export function claimsOf(
  read: Read,
  context: Context,
  namespace: string,
  port: GatewayPort | undefined,
): Map<string, HostClaims> {
  const byHost = new Map<string, HostClaims>();
  if (port === undefined) return byHost;
  const add = (host: string, claims: readonly Claim[], redirect: boolean): void => {
    const known = byHost.get(host) ?? UNCLAIMED;
    byHost.set(host, {
      claims: [...known.claims, ...claims],
      redirect: known.redirect || redirect,
    });
  };
  for (const { row, gateways, bound } of boundRoutes(read, context, namespace, port)) {
    const owner = row.meta.namespace;
    const named = row.spec.hosts.map((h) => fullHost(h, owner, context.mesh.domain));
    for (const [host, redirect] of servedHosts(port, bound, named, owner)) {
      add(host, [{ route: objectKey(row.meta), gateways }], redirect);
    }
  }
  for (const { host, redirect } of port.hosts) if (redirect) add(host, [], true);
  return byHost;
}

/** The virtual host of a host. The routes of several VirtualServices follow each other, the oldest's first. */
export function gatewayVirtualHost(
  read: Read,
  context: Context,
  { source, port, host }: {
    readonly source: RouteSource;
    readonly port: GatewayPort;
    readonly host: string;
  },
  { claims, redirect }: HostClaims,
): Resource {
  const { mesh } = context;
  const routes: Route[] = [];
  const inside = read.within(hostPort(host, port.number));
  for (const { route, gateways } of claims) {
    const row = read.get(mesh.tables.virtualServices, route);
    const spec = inside.follow(mesh.routes.spec, route);
    if (row === undefined || spec === undefined) continue;
    inside.decide?.({
      group: "routes",
      ...fromObject(row, "spec.hosts"),
      value: gateways.join(", "),
    });
    routes.push(...translateHttpRoutes(spec, {
      gateways,
      port: port.number,
      tls: port.family === "tls",
      vsNamespace: row.meta.namespace,
      vsName: row.meta.name,
      source,
      mesh: routeDefaults(read, context),
      resolve: destinationResolver(read, context, { namespace: source.namespace }, port.number),
      decisions: inside.mapped(laterRoutes(routes.length)),
    }));
  }
  const { hideAttempts } = context.settings(read, "routes");
  const options = { host, port: port.number, gateway: true, hideAttempts };
  const message = virtualHostFor(options, routes);
  if (redirect) message.requireTls = TlsRequirement.ALL;
  return encodeResource(message.name, VirtualHostSchema, message);
}

/** Counts the routes of one VirtualService on from those of others, in decisions. */
function laterRoutes(from: number): (decision: RecordedDecision) => RecordedDecision {
  return ({ of = [], ...decision }) => {
    const [first = "", ...rest] = of;
    const at = /^routes\[(\d+)\]$/.exec(first)?.[1];
    return {
      ...decision,
      of: at === undefined ? of : [`routes[${Number(at) + from}]`, ...rest],
    };
  };
}
