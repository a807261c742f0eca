/**
 * Patches of listeners and their parts: filter chains, network filters, HTTP filters, listener
 * filters, and the routes of inbound ports.
 *
 * @module
 */
import { TrafficDirection } from "#envoy/config/core/v3/base_pb.ts";
import {
  type Filter,
  type FilterChain,
  FilterChainSchema,
  FilterSchema,
  ListenerFilterSchema,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import {
  type HttpConnectionManager,
  HttpConnectionManagerSchema,
  HttpFilterSchema,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import {
  DataproxyFilter_ApplyTo as ApplyTo,
  type DataproxyFilter_ListenerMatch as ListenerMatch,
  type DataproxyFilter_ListenerMatch_FilterChainMatch as ChainMatch,
  DataproxyFilter_ListenerMatchSchema as ListenerMatchSchema,
  DataproxyFilter_Patch_FilterClass as FilterClass,
  DataproxyFilter_Patch_Operation as Operation,
} from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import type { Role } from "../../model/mod.ts";
import { clone, create, fromBinary, mergeInto, packAny, typeUrl } from "../../../kit/proto/mod.ts";
import { MAIN_INTERNAL } from "../core/mod.ts";
import { concerns, isFor, mergeRule, type Patch, waypointMatch, type Where } from "./change.ts";
import { patchList } from "./lists.ts";
import { type FilterPosition, indexOf } from "./positions.ts";
import { type Done, isOfRoutes, patchTable } from "./routes.ts";

/** Returns the direction of a listener, by the proxy's role. */
export function whereOf({ trafficDirection }: Listener, role: Role): Where {
  if (role === "router") return "gateway";
  if (role === "waypoint") return "waypoint";
  return trafficDirection === TrafficDirection.INBOUND ? "inbound" : "outbound";
}

/** Applies a patch to a listener. The name is kept, because it identifies the resource. */
export function patchListener(listener: Listener, patch: Patch, role: Role): Done {
  const where = whereOf(listener, role);
  if (!isFor(patch, where)) return "nothing";
  if (isOfRoutes(patch.applyTo)) {
    return outcome(inManagers(listener, (m) => patchInlineTable(m, patch, where)));
  }
  const match = listenerMatch(patch);
  if (isWider(patch) || !matchesListener(listener, match, patch.applyTo)) return "nothing";
  switch (patch.applyTo) {
    case ApplyTo.LISTENER:
      return patchWhole(listener, patch);
    case ApplyTo.LISTENER_FILTER:
      return outcome(patchList(listener.listenerFilters, patch, {
        schema: ListenerFilterSchema,
        matches: ({ name }) => isNamed(name, match?.listenerFilter),
        names: (match?.listenerFilter ?? "") !== "",
      }));
    case ApplyTo.FILTER_CHAIN:
      return outcome(patchChains(listener, patch));
    case ApplyTo.NETWORK_FILTER:
      return outcome(chainsOf(listener, patch).map((c) => patchNetwork(c, patch, match)).some(is));
    case ApplyTo.HTTP_FILTER:
      return outcome(chainsOf(listener, patch).map((c) => patchHttp(c, patch, match)).some(is));
    default:
      return "nothing";
  }
}

/** The match of a patch on listeners; that of a waypoint names a port of services and a filter. */
function listenerMatch(patch: Patch): ListenerMatch | undefined {
  const { objectTypes } = patch;
  if (objectTypes.case === "listener") return objectTypes.value;
  const own = waypointMatch(patch);
  if (own === undefined) return undefined;
  const { portNumber, filter } = own;
  return create(ListenerMatchSchema, {
    portNumber,
    ...(filter === undefined ? {} : {
      filterChain: { filter: { name: filter.name, subFilter: { name: filter.subFilter?.name } } },
    }),
  });
}

/** Reports if a patch touches more of a listener than the chains of the services that it is limited to. */
function isWider({ hosts, applyTo, operation }: Patch): boolean {
  if (hosts === undefined) return false;
  return applyTo === ApplyTo.LISTENER || applyTo === ApplyTo.LISTENER_FILTER ||
    applyTo === ApplyTo.FILTER_CHAIN && operation === Operation.ADD;
}

const is = (done: boolean): boolean => done;

function outcome(done: boolean): Done {
  return done ? "changed" : "nothing";
}

function isNamed(name: string, wanted: string | undefined): boolean {
  return wanted === undefined || wanted === "" || wanted === name;
}

function patchWhole(listener: Listener, { operation, value }: Patch): Done {
  if (operation === Operation.REMOVE) return "removed";
  const lists = mergeRule(operation);
  if (lists === undefined || value === undefined) return "nothing";
  const { name } = listener;
  mergeInto(ListenerSchema, listener, value as Listener, lists);
  listener.name = name;
  return "changed";
}

/** The default chain is patched like the others; new chains are added before it. */
function patchChains(listener: Listener, patch: Patch): boolean {
  const { operation, value } = patch;
  if (operation === Operation.ADD) {
    if (value === undefined) return false;
    listener.filterChains.push(clone(FilterChainSchema, value as FilterChain));
    return true;
  }
  const edit = {
    schema: FilterChainSchema,
    matches: (chain: FilterChain) => matchesChain(chain, listener, patch),
    names: false,
  };
  const fallback = listener.defaultFilterChain === undefined ? [] : [listener.defaultFilterChain];
  const done = [patchList(listener.filterChains, patch, edit), patchList(fallback, patch, edit)];
  listener.defaultFilterChain = fallback[0];
  if (done.some(is) && listener.filterChains.length + fallback.length === 0) {
    throw new TypeError("no filter chain would be left");
  }
  return done.some(is);
}

function patchNetwork(
  chain: FilterChain,
  patch: Patch,
  match: ListenerMatch | undefined,
): boolean {
  const wanted = match?.filterChain?.filter?.name ?? "";
  return patchList(chain.filters, patch, {
    schema: FilterSchema,
    matches: ({ name }) => isNamed(name, wanted),
    names: wanted !== "",
    end: (list) => indexOf(list, CLASSES[patch.filterClass] ?? "end"),
  });
}

/** Position of added filters, by filter class. */
const CLASSES: Readonly<Partial<Record<FilterClass, FilterPosition>>> = {
  [FilterClass.AUTHN]: "authz",
  [FilterClass.AUTHZ]: "behind-authz",
  [FilterClass.STATS]: "end",
};

function patchHttp(chain: FilterChain, patch: Patch, match: ListenerMatch | undefined): boolean {
  const filter = match?.filterChain?.filter;
  const wanted = filter?.subFilter?.name ?? "";
  return inManagersOf(chain, filter?.name, (manager) =>
    patchList(manager.httpFilters, patch, {
      schema: HttpFilterSchema,
      matches: ({ name }) => isNamed(name, wanted),
      names: wanted !== "",
      end: (list) => indexOf(list, CLASSES[patch.filterClass] ?? "end"),
    }));
}

function patchInlineTable(manager: HttpConnectionManager, patch: Patch, where: Where): boolean {
  const { routeSpecifier } = manager;
  return routeSpecifier.case === "routeConfig" && patchTable(routeSpecifier.value, patch, where);
}

const MANAGER_TYPE = typeUrl(HttpConnectionManagerSchema);

/** Changes every connection manager of a listener. */
export function inManagers(
  listener: Listener,
  edit: (manager: HttpConnectionManager, chain: FilterChain) => boolean,
): boolean {
  return everyChain(listener).map((chain) => inManagersOf(chain, "", (m) => edit(m, chain))).some(
    is,
  );
}

/** Changes the connection managers of a chain and encodes the changed ones again. */
function inManagersOf(
  chain: FilterChain,
  wanted: string | undefined,
  edit: (manager: HttpConnectionManager) => boolean,
): boolean {
  return chain.filters.map((filter: Filter) => {
    const { configType } = filter;
    if (configType.case !== "typedConfig" || configType.value.typeUrl !== MANAGER_TYPE) {
      return false;
    }
    if (!isNamed(filter.name, wanted)) return false;
    const manager = fromBinary(HttpConnectionManagerSchema, configType.value.value);
    const done = edit(manager);
    if (done) configType.value = packAny(HttpConnectionManagerSchema, manager);
    return done;
  }).some(is);
}

/** Returns all chains, including the default chain. */
export function everyChain({ filterChains, defaultFilterChain: rest }: Listener): FilterChain[] {
  return rest === undefined ? filterChains : [...filterChains, rest];
}

function chainsOf(listener: Listener, patch: Patch): FilterChain[] {
  return everyChain(listener).filter((chain) => matchesChain(chain, listener, patch));
}

/** Listeners whose chains match the ports: that of all captured inbound connections, and a waypoint's. */
const OF_MANY_PORTS: readonly string[] = ["virtualInbound", MAIN_INTERNAL];

function matchesListener(
  listener: Listener,
  match: ListenerMatch | undefined,
  applyTo: ApplyTo,
): boolean {
  if (match === undefined) return true;
  const { name, portNumber, listenerFilter } = match;
  if (!isNamed(listener.name, name)) return false;
  if (portNumber !== 0 && !portsOf(listener).includes(portNumber)) return false;
  return listenerFilter === "" || applyTo === ApplyTo.LISTENER_FILTER ||
    listener.listenerFilters.some((filter) => filter.name === listenerFilter);
}

/** Returns the ports of a listener. */
export function portsOf(listener: Listener): number[] {
  if (OF_MANY_PORTS.includes(listener.name)) {
    return listener.filterChains.flatMap((c) => c.filterChainMatch?.destinationPort ?? []);
  }
  const address = listener.address?.address;
  if (address?.case !== "socketAddress") return [];
  const { portSpecifier } = address.value;
  return portSpecifier.case === "portValue" ? [portSpecifier.value] : [];
}

/** Returns the ports of a chain. */
export function chainPorts(chain: FilterChain, listener: Listener): number[] {
  const port = chain.filterChainMatch?.destinationPort;
  if (port !== undefined) return [port];
  return OF_MANY_PORTS.includes(listener.name) ? [] : portsOf(listener);
}

function matchesChain(chain: FilterChain, listener: Listener, patch: Patch): boolean {
  if (!concerns(patch, chain.name)) return false;
  const match = listenerMatch(patch);
  if (match === undefined) return true;
  const { portNumber, filterChain } = match;
  if (portNumber !== 0 && !chainPorts(chain, listener).includes(portNumber)) return false;
  return filterChain === undefined || holds(chain, filterChain);
}

function holds(chain: FilterChain, match: ChainMatch): boolean {
  const own = chain.filterChainMatch;
  const { sni, transportProtocol, applicationProtocols, destinationPort } = match;
  if (!isNamed(chain.name, match.name)) return false;
  if (!isNamed(chain.transportSocket?.name ?? "", match.transportSocket)) return false;
  if (!isNamed(own?.transportProtocol ?? "", transportProtocol)) return false;
  if (sni !== "" && !own?.serverNames.includes(sni)) return false;
  if (destinationPort !== 0 && own?.destinationPort !== destinationPort) return false;
  return applicationProtocols === "" ||
    applicationProtocols.split(",").every((p) => own?.applicationProtocols.includes(p.trim()));
}
