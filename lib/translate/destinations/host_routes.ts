/**
 * The routes of one port of a host, as callers of a namespace see them.
 *
 * @module
 */
import { type Route, VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { lookUp, type Tell, within } from "../../derive/mod.ts";
import {
  defaultRoute,
  type DomainOptions,
  translateHttpRoutes,
  virtualHostFor,
} from "../../envoy/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import { mayBeHttp, type Service } from "../../model/mod.ts";
import {
  addressesOf,
  type Caller,
  type Context,
  ownsAddress,
  pickService,
} from "../context/mod.ts";
import { encodeResource } from "../resources/mod.ts";
import { destinationResolver } from "./destination.ts";
import { routeDefaults } from "./route_defaults.ts";

/**
 * The virtual host of one port of a host.
 *
 * @param labels of the callers; rules for certain labels are left out without them
 */
export function virtualHost(
  read: Read,
  context: Context,
  namespace: string,
  port: number,
  host: string,
  tell: Tell | undefined,
  labels: Readonly<Record<string, string>> = {},
): Resource | undefined {
  const found = hostRoutes(read, context, { namespace, labels }, port, host, tell);
  if (found === undefined) return undefined;
  const { service, routes, rule } = found;
  const message = virtualHostFor({
    host,
    port,
    hideAttempts: routeDefaults(read, context).hideAttempts,
    // Tables are of one port, and take a host whatever port is named beside it.
    withPort: false,
    rule,
    ...namesOf(read, context, namespace, host, service),
  }, routes);
  return encodeResource(message.name, VirtualHostSchema, message);
}

/** Those who call: their namespace, and what rules may choose them by. */
export interface RouteCaller extends Caller {
  /** Rules for certain labels are left out without them. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** The routes of one port of a host. */
export interface HostRoutes {
  readonly service: Service | undefined;
  readonly routes: readonly Route[];
  /** `namespace/name` of the VirtualService that they are from, which they do not say; `undefined`: of none. */
  readonly rule?: string;
}

/** The routes of one port of a host; `undefined` where it has none. */
export function hostRoutes(
  read: Read,
  context: Context,
  { namespace, labels = {}, rules }: RouteCaller,
  port: number,
  host: string,
  tell: Tell | undefined,
): HostRoutes | undefined {
  const { mesh } = context;
  const service = pickService(read, context, namespace, host, tell);
  const served = service?.ports.some((p) => p.number === port && mayBeHttp(p.protocol)) ?? false;
  if (service !== undefined && !served) return undefined;
  const routeKey = lookUp(read, mesh.routes.meshRoute, { namespace, host }, tell);
  if (service === undefined && (port !== 80 || routeKey === "")) return undefined;

  const defaults = routeDefaults(read, context);
  const resolve = destinationResolver(read, context, namespace, port, rules);
  const row = routeKey === "" ? undefined : read.get(mesh.tables.virtualServices, routeKey);
  const spec = row && lookUp(read, mesh.routes.spec, routeKey, tell);
  const routes = row === undefined || spec === undefined ? [] : translateHttpRoutes(spec, {
    gateways: ["mesh"],
    port,
    source: { namespace, labels },
    vsNamespace: row.meta.namespace,
    vsName: row.meta.name,
    mesh: defaults,
    resolve,
    named: true,
    tell,
  });
  if (routes.length > 0 || service === undefined) {
    return routes.length === 0 ? undefined : { service, routes, rule: routeKey };
  }
  const target = resolve(
    { host, port: { number: port }, subset: "" },
    service.namespace,
    within(tell, "routes[0]"),
  );
  return { service, routes: [defaultRoute(target, defaults, tell)] };
}

/** What the names of a host depend on, beside itself and its port, as a namespace sees it. */
export function namesOf(
  read: Read,
  context: Context,
  namespace: string,
  host: string,
  service: Service | undefined,
): Pick<DomainOptions, "proxyDomain" | "addresses" | "claims"> {
  const { mesh, features } = context;
  return {
    proxyDomain: namespace === "" ? `svc.${mesh.domain}` : `${namespace}.svc.${mesh.domain}`,
    addresses: service === undefined ? [] : addressesOf(read, context, service, {
      given: features.giveAddresses,
      family: "dual",
    }).filter((a) => ownsAddress(read, context, namespace, a, host)),
    claims: (alias) => !isTaken(read, context, namespace, alias),
  };
}

/** Whether a short name is the full name of something else, which has a virtual host of its own. */
function isTaken(read: Read, { mesh }: Context, namespace: string, alias: string): boolean {
  return read.get(mesh.services.resolve, { namespace, host: alias }) !== undefined ||
    read.any(mesh.indexes.meshRoutesByHost, alias);
}
