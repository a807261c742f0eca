/**
 * Patches of route tables, virtual hosts and routes.
 *
 * @module
 */
import {
  type Route,
  RouteSchema,
  type VirtualHost,
  VirtualHostSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import {
  type RouteConfiguration,
  RouteConfigurationSchema,
} from "#envoy/config/route/v3/route_pb.ts";
import {
  DataproxyFilter_ApplyTo as ApplyTo,
  DataproxyFilter_Patch_Operation as Operation,
  type DataproxyFilter_RouteConfigurationMatch as TableMatch,
  type DataproxyFilter_RouteConfigurationMatch_RouteMatch as RouteMatch,
  DataproxyFilter_RouteConfigurationMatch_RouteMatch_Action as Action,
  DataproxyFilter_RouteConfigurationMatchSchema as TableMatchSchema,
} from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import {
  clone,
  create,
  type Duration,
  durationMs,
  mergeInto,
  type MessageShape,
} from "../../../kit/proto/mod.ts";
import { parseClusterName } from "../../model/mod.ts";
import { CONNECT_TERMINATE } from "../core/mod.ts";
import { concerns, isFor, mergeRule, type Patch, waypointMatch, type Where } from "./change.ts";
import { patchList } from "./lists.ts";

/** Reports if a patch applies to routes. */
export function isOfRoutes(applyTo: ApplyTo): boolean {
  return applyTo === ApplyTo.ROUTE_CONFIGURATION || applyTo === ApplyTo.VIRTUAL_HOST ||
    applyTo === ApplyTo.HTTP_ROUTE;
}

/** Patches a route table with its virtual hosts and routes; returns if something changed. */
export function patchTable(table: RouteConfiguration, patch: Patch, where: Where): boolean {
  // Patches do not change tunnels.
  if (table.name === CONNECT_TERMINATE) return false;
  if (!matchesTable(table.name, patch, where)) return false;
  const { applyTo, operation, value } = patch;
  if (applyTo === ApplyTo.ROUTE_CONFIGURATION) {
    const lists = mergeRule(operation);
    if (lists === undefined || value === undefined) return false;
    const { name } = table;
    mergeInto(RouteConfigurationSchema, table, value as RouteConfiguration, lists);
    table.name = name;
    return true;
  }
  if (applyTo === ApplyTo.VIRTUAL_HOST && operation === Operation.ADD) {
    if (value === undefined) return false;
    table.virtualHosts.push(clone(VirtualHostSchema, value as VirtualHost));
    return true;
  }
  const done = table.virtualHosts.map((host) => inHost(host, host.name, patch));
  table.virtualHosts = table.virtualHosts.filter((_, i) => done[i] !== "removed");
  return done.some((one) => one !== "nothing");
}

/** Result of a patch on something that can be removed. */
export type Done = "nothing" | "changed" | "removed";

/** Patches a virtual host that is a resource (VHDS), `table/host:port`. */
export function patchVirtualHost(host: VirtualHost, patch: Patch, where: Where): Done {
  const slash = host.name.lastIndexOf("/");
  if (!matchesTable(host.name.slice(0, slash), patch, where)) return "nothing";
  return inHost(host, host.name.slice(slash + 1), patch);
}

function inHost(host: VirtualHost, called: string, patch: Patch): Done {
  const match = tableMatch(patch)?.vhost;
  if (match !== undefined) {
    if (match.name !== "" && match.name !== called) return "nothing";
    if (match.domainName !== "" && !host.domains.includes(match.domainName)) return "nothing";
  }
  if (patch.applyTo === ApplyTo.HTTP_ROUTE) {
    return patchRoutes(host.routes, patch, match?.route) ? "changed" : "nothing";
  }
  if (patch.applyTo !== ApplyTo.VIRTUAL_HOST) return "nothing";
  if (patch.operation === Operation.REMOVE) return "removed";
  const lists = mergeRule(patch.operation);
  if (lists === undefined || patch.value === undefined) return "nothing";
  const { name } = host;
  mergeInto(VirtualHostSchema, host, patch.value as VirtualHost, lists);
  host.name = name;
  return "changed";
}

function patchRoutes(routes: Route[], patch: Patch, match: RouteMatch | undefined): boolean {
  if (patch.operation === Operation.REPLACE) return false;
  const changed = patchList(routes, patch, {
    schema: RouteSchema,
    matches: (route) => matchesRoute(route, match),
    names: match !== undefined && (match.name !== "" || match.action !== Action.ANY),
  });
  if (changed) { for (const route of routes) admitTimeout(route); }
  return changed;
}

/**
 * Replaces the field of generated routes without a timeout that would make Envoy ignore the timeout
 * of a patch, see `timeouts` of the routes.
 */
function admitTimeout({ action }: Route): void {
  if (action.case !== "route") return;
  const { timeout, maxStreamDuration: limits } = action.value;
  if (timeout === undefined || durationMs(timeout) === 0) return;
  const generated = limits?.grpcTimeoutHeaderMax !== undefined &&
    durationMs(limits.grpcTimeoutHeaderMax) === 0 && isZero(limits.maxStreamDuration);
  if (!generated) return;
  action.value.maxStreamDuration = undefined;
  // Deadlines of gRPC calls go on to have no upper limit.
  action.value.maxGrpcTimeout = limits.grpcTimeoutHeaderMax;
}

function isZero(duration: Duration | undefined): boolean {
  return duration === undefined || durationMs(duration) === 0;
}

const ACTIONS: Readonly<
  Partial<Record<Action, MessageShape<typeof RouteSchema>["action"]["case"]>>
> = {
  [Action.ROUTE]: "route",
  [Action.REDIRECT]: "redirect",
  [Action.DIRECT_RESPONSE]: "directResponse",
};

function matchesRoute(route: Route, match: RouteMatch | undefined): boolean {
  if (match === undefined) return true;
  if (match.name !== "" && match.name !== route.name) return false;
  return match.action === Action.ANY || route.action.case === ACTIONS[match.action];
}

/** The match of a patch on route tables; that of a waypoint names a port of services and a route. */
function tableMatch(patch: Patch): TableMatch | undefined {
  const { objectTypes } = patch;
  if (objectTypes.case === "routeConfiguration") return objectTypes.value;
  const own = waypointMatch(patch);
  if (own === undefined) return undefined;
  const { portNumber, route } = own;
  return create(TableMatchSchema, {
    portNumber,
    ...(route === undefined ? {} : { vhost: { route: { name: route.name } } }),
  });
}

function matchesTable(name: string, patch: Patch, where: Where): boolean {
  if (!isFor(patch, where) || !concerns(patch, name)) return false;
  const match = tableMatch(patch);
  if (match === undefined) return true;
  if (match.name !== "" && match.name !== name) return false;
  const server = serverOf(name);
  if (match.portNumber !== 0 && match.portNumber !== server.port) return false;
  if (where !== "gateway") return true;
  if (match.portName !== "" && match.portName !== server.portName) return false;
  return match.gateway === "" || match.gateway === server.gateway;
}

/** Information in the name of a route table. */
interface TableName {
  readonly port: number | undefined;
  /** Port name of a server that terminates TLS. */
  readonly portName?: string;
  /** `namespace/name`. */
  readonly gateway?: string;
}

/**
 * Route tables are named by a port, an address and port, an inbound cluster, or a gateway's server.
 */
function serverOf(name: string): TableName {
  const gateway = /^https?\.(\d+)(?:\.(.*))?$/.exec(name);
  if (gateway !== null) {
    const [, port, rest = ""] = gateway;
    const [portName, ...owner] = rest.split(".");
    if (!name.startsWith("https.") || owner.length < 2) return { port: Number(port) };
    return {
      port: Number(port),
      portName: portName ?? "",
      gateway: `${owner.at(-1)}/${owner.slice(0, -1).join(".")}`,
    };
  }
  const cluster = parseClusterName(name);
  if (cluster !== undefined) return { port: cluster.port };
  const port = /(\d+)$/.exec(name)?.[1];
  return { port: port === undefined ? undefined : Number(port) };
}
