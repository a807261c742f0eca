/**
 * The routes of one port of a host, as clients of a namespace see them.
 *
 * @module
 */
import { isConverted } from "../../gateway_api/mod.ts";
import { type Route, VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import {
  defaultRoute,
  type DomainOptions,
  translateHttpRoutes,
  virtualHostFor,
} from "../../envoy/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import { isWildcard, mayBeHttp, type Service } from "../../model/mod.ts";
import {
  addressesOf,
  type Client,
  type Context,
  destinationResolver,
  followService,
  ownedAddresses,
  routeDefaults,
} from "../context/mod.ts";
import { encodeInParts, type HostPort } from "../resources/mod.ts";

/** The clients of a host, with the labels that rules may match. */
export interface RouteClient extends Client {
  /** Source labels; without them rules that match source labels do not apply. */
  readonly labels?: Readonly<Record<string, string>>;
  /** True: clients of all namespaces; see {@linkcode RouteSource}. */
  readonly isAnyone?: boolean;
  /** Returns the name that a cluster has at these clients; default: its own. */
  readonly clusterOf?: (cluster: string) => string;
}

/** The virtual host of one port of a host; `undefined` where it has none. */
export function virtualHost(
  read: Read,
  context: Context,
  client: RouteClient,
  target: HostPort,
): Resource | undefined {
  const found = hostRoutes(read, context, client, target);
  if (found === undefined) return undefined;
  const { service, routes, rule } = found;
  const { host, port } = target;
  const message = virtualHostFor({
    host,
    port,
    hideAttempts: routeDefaults(read, context).hideAttempts,
    // A route table is for one port, and matches a host with any port.
    withPort: false,
    rule,
    ...domainsOf(read, context, { namespace: client.namespace, host, port }, service),
  }, routes);
  return encodeInParts(read, message.name, VirtualHostSchema, message);
}

/** The routes of one port of a host. */
export interface HostRoutes {
  readonly service: Service | undefined;
  readonly routes: readonly Route[];
  /** The VirtualService of all routes, `namespace/name`; `undefined`: the routes come from none. */
  readonly rule?: string;
}

/** The routes of one port of a host; `undefined` where it has none. */
export function hostRoutes(
  read: Read,
  context: Context,
  client: RouteClient,
  { host, port }: HostPort,
): HostRoutes | undefined {
  const { mesh } = context;
  const { namespace, labels = {}, isAnyone } = client;
  const service = followService(read, context, namespace, host);
  const served = service?.ports.some((p) => p.number === port && mayBeHttp(p.protocol)) ?? false;
  const elsewhere = service !== undefined && !served;
  // At port 80 a host is routed by its VirtualService even if its service does not have that port.
  if (elsewhere && (port !== 80 || service.ports.some((p) => p.number === 80))) return undefined;
  const routeKey = read.follow(mesh.routes.meshRoute, { namespace, host }) ||
    (service?.alias === undefined
      ? ""
      : read.follow(mesh.routes.meshRoute, { namespace, host: service.alias }));
  if (!served && (port !== 80 || routeKey === "")) return undefined;

  const defaults = routeDefaults(read, context);
  const { clusterOf } = client;
  const resolveOwn = destinationResolver(read, context, client, port);
  const resolve: typeof resolveOwn = clusterOf === undefined ? resolveOwn : (...of) => {
    const found = resolveOwn(...of);
    return { ...found, cluster: clusterOf(found.cluster) };
  };
  const row = routeKey === "" ? undefined : read.get(mesh.tables.virtualServices, routeKey);
  const spec = row && read.follow(mesh.routes.spec, routeKey);
  const routes = row === undefined || spec === undefined ? [] : translateHttpRoutes(spec, {
    gateways: ["mesh"],
    port,
    source: { namespace, labels, isAnyone },
    provesNamespaces: isAnyone,
    vsNamespace: row.meta.namespace,
    vsName: row.meta.name,
    elements: isConverted(row.meta),
    mesh: defaults,
    resolve,
    named: true,
    decisions: read,
    parts: read,
  });
  if (routes.length > 0 || service === undefined || !served) {
    return routes.length === 0 ? undefined : { service, routes, rule: routeKey };
  }
  const target = resolve(
    { host, port: { number: port }, subset: "", full: true },
    service.namespace,
    read.within("routes[0]"),
  );
  return { service, routes: [defaultRoute(target, defaults, read)] };
}

/** Returns the inputs of a host's domains other than its name and port, as a namespace sees it. */
export function domainsOf(
  read: Read,
  context: Context,
  seen: HostPort & { readonly namespace: string },
  service: Service | undefined,
): Pick<DomainOptions, "proxyDomain" | "addresses" | "claims" | "instances"> {
  const { mesh, features } = context;
  const { namespace, port } = seen;
  const use = { autoAddresses: features.autoAllocateAddresses, family: "dual" } as const;
  // Route tables are those of proxies in all clusters. An address that another host has in some cluster
  // cannot name this host for all of them.
  const elsewhere = Object.values(service?.clusterAddresses ?? {}).flat().filter((address) =>
    read.members(mesh.indexes.hostsByVip, address).every((host) => host === seen.host)
  );
  return {
    proxyDomain: namespace === "" ? `svc.${mesh.domain}` : `${namespace}.svc.${mesh.domain}`,
    addresses: service === undefined ? [] : [
      ...new Set([
        ...ownedAddresses(read, context, seen, addressesOf(read, context, service, use)),
        ...elsewhere,
      ]),
    ],
    // The names of pods are below that of their headless Service.
    instances: service?.headless === true && service.registry === true,
    claims: (alias) => !isTaken(read, context, { namespace, port, host: alias }),
  };
}

/**
 * Reports if another name of a host is the full name of another host, which has a virtual host of its
 * own. A pattern that only VirtualServices name has one at port 80 at most.
 */
function isTaken(
  read: Read,
  { mesh }: Context,
  { namespace, port, host }: HostPort & { readonly namespace: string },
): boolean {
  // Few hosts are written with a dot at their end; a look at all namespaces costs no computation.
  const isService = host.endsWith(".")
    ? read.any(mesh.indexes.entriesByHost, host)
    : read.get(mesh.services.resolve, { namespace, host }) !== undefined;
  return isService ||
    (port === 80 || !isWildcard(host)) && read.any(mesh.indexes.meshRoutesByHost, host);
}
