/**
 * Virtual hosts of outbound route tables: one cell per port and host, as a
 * namespace sees it.
 *
 * @module
 */
import {
  deriveTelling,
  fullHost,
  lookUp,
  type Source,
  type Tell,
  type Told,
  within,
} from "../derive/mod.ts";
import type { Derived, Read, Resource } from "../graph/mod.ts";
import { mayBeHttp, type Service } from "../model/mod.ts";
import { type Route, VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { clusterName, mergeTrafficPolicy, notingListener } from "./cluster/mod.ts";
import { routedAlike } from "./alike.ts";
import {
  addressesOf,
  type Caller,
  type Context,
  ownsAddress,
  pickFor,
  pickService,
  splitKey,
} from "./context.ts";
import { routeDefaults } from "./defaults.ts";
import { encodeResource, sameResources } from "./resource.ts";
import {
  defaultRoute,
  type DomainOptions,
  domainsFor,
  hashPolicyFor,
  hostPort,
  type ResolvedDestination,
  sessionRule,
  translateHttpRoutes,
  virtualHostFor,
} from "./route/mod.ts";

/**
 * Creates the table: `NS|port|host` → its virtual host, if the host has an HTTP
 * port of that number, or a VirtualService and no service at port 80. Port 0 stands for
 * the first that the host has.
 */
export function deriveVirtualHosts(context: Context): Derived<readonly Resource[]> {
  const { graph } = context.mesh;
  const table: Derived<readonly Resource[]> = deriveTelling(graph, "vhost", (read, key, tell) => {
    const [namespace = "", portText = "", host = ""] = splitKey(key, 3);
    const port = Number(portText) || onlyPort(read, context, namespace, host);
    if (
      tell === undefined && namespace !== "" &&
      routedAlike(read, context, namespace, host) &&
      namedAlike(read, context, namespace, port, host)
    ) {
      return read.get(table, `|${portText}|${host}`);
    }
    const inside = within(tell, hostPort(host, port));
    const resource = virtualHost(read, context, namespace, port, host, inside);
    return resource === undefined ? [] : [resource];
  }, { equal: sameResources });
  return table;
}

/** Whether a host, which is one service for both, has the names in a namespace that it has for everybody. */
function namedAlike(
  read: Read,
  context: Context,
  namespace: string,
  port: number,
  host: string,
): boolean {
  const service = pickService(read, context, "", host);
  const names = (seenBy: string): string =>
    String(domainsFor({ host, port, ...namesOf(read, context, seenBy, host, service) }));
  return names(namespace) === names("");
}

/** The port of a host that tables of Unix sockets serve, which have none: its first for HTTP. */
function onlyPort(read: Read, context: Context, namespace: string, host: string): number {
  const service = pickService(read, context, namespace, host);
  // A host that VirtualServices alone name is served at port 80.
  return service === undefined ? 80 : service.ports.find((p) => mayBeHttp(p.protocol))?.number ?? 0;
}

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
  const routeKey = lookUp(read, mesh.routes.meshRoute, `${namespace}|${host}`, tell);
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
  return read.get(mesh.services.resolve, `${namespace}|${alias}`) !== undefined ||
    read.any(mesh.indexes.meshRoutesByHost, alias);
}

/** What a destination needs to say; the port may be left out. */
interface DestinationLike {
  readonly host: string;
  readonly subset: string;
  readonly port?: { readonly number: number } | undefined;
}

/**
 * Finds the cluster of a destination, as a namespace sees it. Without a port it is
 * the service's only one, else the listener's.
 *
 * @param rules those that select the proxies, oldest first
 */
export function destinationResolver(
  read: Read,
  context: Context,
  namespace: string,
  listenerPort: number,
  rules: readonly string[] = [],
): (destination: DestinationLike, fromNamespace: string, tell?: Tell) => ResolvedDestination {
  const { mesh, features } = context;
  return (destination, fromNamespace, tell) => {
    const host = fullHost(destination.host, fromNamespace, mesh.domain);
    const inside = within(tell, `to ${host}`);
    const chosen = pickFor(read, context, { namespace, rules }, host, inside);
    const service = chosen && read.get(mesh.services.service, chosen.service);
    const only = service?.ports.length === 1 ? service.ports[0] : undefined;
    const port = destination.port?.number || only?.number || listenerPort;
    const policy = chosen && read.get(mesh.policies.policy, chosen.rules);
    const subset = policy?.subsets.find((s) => s.name === destination.subset);
    const groups = inside && new Map<string, Told>();
    const merged = mergeTrafficPolicy(
      policy?.trafficPolicy,
      subset?.trafficPolicy,
      port,
      undefined,
      groups && policy && notingListener(groups, policy, subset),
    );
    const cluster = clusterName("outbound", port, destination.subset, host);
    const hashPolicy = hashPolicyFor(merged?.loadBalancer);
    if (inside !== undefined) {
      const from: Source = service === undefined
        ? { source: "built-in" }
        : { source: "object", object: service.source };
      inside({ group: "cluster", ...from, value: cluster });
      const hash = groups?.get("loadBalancer");
      if (hashPolicy !== undefined && hashPolicy.length > 0 && hash !== undefined) {
        inside({ ...hash, group: "hashPolicy" });
      }
    }
    const session = service && sessionRule(service.labels, features.sessions);
    if (session === undefined) return { cluster, host, port, hashPolicy };
    inside?.({
      group: "session",
      source: "object",
      object: service!.source,
      field: `metadata.labels[${session.label}]`,
      value: session.value,
    });
    return { cluster, host, port, hashPolicy, session: session.config };
  };
}
