/**
 * Listeners of waypoints.
 *
 * @module
 */
import type { FilterChain } from "#envoy/config/listener/v3/listener_components_pb.ts";
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import {
  CONNECT_TERMINATE,
  connectTerminate,
  MAIN_INTERNAL,
  proxyTerminate,
  secretNames,
  TUNNEL_PORT,
  waypointInternal,
} from "../../envoy/mod.ts";
import { type Derived, type Read, type Resource, text } from "../../graph/mod.ts";
import { behindNodeProxy, variantOf, wildcard } from "../context/mod.ts";
import { managerDefaults, originateListeners, tunnelIdleMs } from "../listeners/mod.ts";
import { encodeInParts, type ListenerTable, resourceTable } from "../resources/mod.ts";
import { entranceFilters, tunnelServer } from "../security/mod.ts";
import { telemetryKey, telemetryKeyAt } from "../telemetry/mod.ts";
import { type Chains, serviceChains, workloadChains } from "./chains.ts";
import type { Context } from "./features.ts";
import { waypointOf, type WaypointService, waypointServices, type WaypointTables } from "./keys.ts";
import { isEntrance, servedService } from "./services.ts";

type ChainTable<K> = Derived<Chains, K>;

/**
 * Creates the table: key of a class → listeners. The chains of a service are a cell of their own, so
 * that a change of one service builds only those.
 */
export function deriveWaypointListeners(
  context: Context,
  services: WaypointTables["services"],
): ListenerTable {
  const { graph } = context.mesh;
  const equal = (a: Chains, b: Chains): boolean => a.digest === b.digest;
  const defaultsOf = (read: Read, key: string, object?: string) => {
    const cls = read.get(context.classes, key);
    const telemetry = object === undefined
      ? telemetryKey(read, context, cls, "")
      : telemetryKeyAt(read, context, cls, object);
    const variant = variantOf(cls, telemetry);
    return { cls, variant, manager: managerDefaults(read, context, variant) };
  };
  const ofService: ChainTable<WaypointService> = graph.derive(
    "waypoint.chains",
    waypointServices,
    (read, { cls: key, service: serviceKey }) => {
      const service = servedService(read, context, serviceKey);
      if (service === undefined) return NOTHING;
      const { cls, manager } = defaultsOf(read, key, service.source);
      return serviceChains(read, context, { cls, service, manager, services });
    },
    { equal },
  );
  const ofWorkloads: ChainTable<string> = graph.derive("waypoint.direct", text, (read, key) => {
    const { cls, manager } = defaultsOf(read, key);
    return workloadChains(read, context, cls, manager);
  }, { equal });
  return resourceTable(graph, "lds.waypoint", text, (read, key) => {
    const { cls, variant, manager } = defaultsOf(read, key);
    const names = secretNames(cls).server;
    if (names === undefined) return [];
    const behind = behindNodeProxy(cls);
    const common = {
      ...wildcard({ family: variant.family, bound: behind !== undefined }),
      ...(cls.interception === "NONE" && cls.options.BIND_IP
        ? { bind: cls.options.BIND_IP, extraBinds: [] }
        : {}),
      manager,
      idleTimeoutMs: tunnelIdleMs(read, context),
    };
    const end = {
      ...common,
      port: TUNNEL_PORT,
      tls: tunnelServer(read, context, names),
      ...(context.features.networks === undefined ? {} : { routes: "on demand" as const }),
    };
    if (isEntrance(read, context, waypointOf(cls))) {
      const { namespace, name: gateway } = waypointOf(cls);
      const bound = read.get(context.mesh.gatewayApi.bound.gateways, { namespace, name: gateway });
      const target = { namespace, gateway, className: bound?.className ?? "", object: "" };
      const forwards = entranceFilters(read.within(CONNECT_TERMINATE), context, target);
      return [listenerOf(read, connectTerminate({ ...end, forwards }))];
    }
    const inside = read.within(MAIN_INTERNAL);
    const direct = inside.follow(ofWorkloads, key);
    const all = read.get(services, waypointOf(cls))
      .map((service) => inside.within(service.host).follow(ofService, { cls: key, service }));
    const detects = direct.chains.length > 0;
    return [
      behind === undefined ? connectTerminate(end) : proxyTerminate({ ...common, port: behind }),
      waypointInternal({
        chains: distinct([...all.flatMap(({ chains }) => chains), ...direct.chains]),
        detected: detects ? "all" : unique(all.flatMap(({ detected }) => detected)),
        tls: unique(all.flatMap(({ tls }) => tls)),
        manager,
      }),
      ...originateListeners(read, context, cls, manager),
    ].map((listener) => listenerOf(read, listener));
  });
}

function listenerOf(read: Read, listener: Listener): Resource {
  return encodeInParts(read, listener.name, ListenerSchema, listener);
}

const NOTHING: Chains = { chains: [], detected: [], tls: [], digest: "" };

function unique(ports: readonly number[]): number[] {
  return [...new Set(ports)].sort((a, b) => a - b);
}

/**
 * The proxy rejects a listener with two chains of one match: an address and port that several services
 * have belong to the first.
 */
function distinct(chains: readonly FilterChain[]): FilterChain[] {
  const taken = new Set<string>();
  return chains.flatMap((chain) => {
    const match = chain.filterChainMatch;
    if (match === undefined) return [chain];
    const { prefixRanges, destinationPort, serverNames, applicationProtocols } = match;
    const rest = JSON.stringify([destinationPort, serverNames, applicationProtocols]);
    const free = prefixRanges.filter(({ addressPrefix, prefixLen }) => {
      const key = `${addressPrefix}/${prefixLen} ${rest}`;
      if (taken.has(key)) return false;
      taken.add(key);
      return true;
    });
    if (free.length === 0) return [];
    if (free.length === prefixRanges.length) return [chain];
    return [{ ...chain, filterChainMatch: { ...match, prefixRanges: free } }];
  });
}
