/**
 * The internal listener of waypoints: chains for the content of tunnels, by its destination.
 *
 * @module
 */
import type { CidrRange } from "#envoy/config/core/v3/address_pb.ts";
import {
  type Filter,
  type FilterChain,
  FilterChainSchema,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import type { Protocol } from "../../model/mod.ts";
import {
  type ManagerDefaults,
  managerFilter,
  type ManagerInput,
} from "../connection_manager/mod.ts";
import { cidrRange, DESTINATION_STATE, MAIN_INTERNAL } from "../core/mod.ts";
import { assembleInternal, type ListenerParts } from "./assemble.ts";
import { chain, type ChainMatch, tcpFilters } from "./chain.ts";
import {
  httpInspector,
  httpProtocols,
  not,
  originalDestination,
  portIn,
  tlsInspector,
} from "./detect.ts";
import { forwarding } from "./input.ts";
import type { SecurityPolicies } from "./security.ts";
import type { TcpChain } from "./tcp_chain.ts";
import { setStates, state } from "./tunnel_state.ts";

/** A destination at a waypoint: addresses, and a port. */
export interface WaypointDestination {
  /** Addresses or ranges; at least one. */
  readonly addresses: readonly string[];
  /** 0: every port. */
  readonly port: number;
}

/** The destination of a chain, and the treatment of its requests or connections. */
export interface WaypointChain extends WaypointDestination {
  /** `inbound-vip|80|http|web.shop.svc.cluster.local`. */
  readonly name: string;
  readonly protocol: Protocol;
  /** True: HTTP that was found among other protocols. */
  readonly found?: boolean;
  readonly security: Pick<SecurityPolicies, "http" | "tcp">;
  readonly manager: ManagerDefaults;
  /** True: connections go on to the address that they were meant for. */
  readonly direct?: boolean;
}

function matchOf({ addresses, port }: WaypointDestination): ChainMatch {
  return {
    prefixRanges: rangesOf(addresses),
    ...(port === 0 ? {} : { destinationPort: port }),
  };
}

function rangesOf(addresses: readonly string[]): CidrRange[] {
  return addresses.map(cidrRange).filter((range) => range !== undefined);
}

/** Hands the destination over to the internal listener that opens tunnels. */
function destinationFilter(): Filter {
  return setStates([state(DESTINATION_STATE, "%DOWNSTREAM_LOCAL_ADDRESS%")]);
}

/** The chain of requests. */
export function waypointHttpChain(
  input: WaypointChain,
  routes: ManagerInput["routes"],
): FilterChain {
  const { name, protocol, security, manager } = input;
  const filter = managerFilter({
    class: "waypoint",
    statPrefix: name,
    routes,
    protocol,
    security: security.http,
    defaults: manager,
  });
  const match = {
    ...matchOf(input),
    ...(input.found === true ? { applicationProtocols: httpProtocols(manager.http10) } : {}),
  };
  return chain(name, match, filter, {
    security: input.direct === true ? [destinationFilter()] : [],
  });
}

/** The chain of connections. */
export function waypointTcpChain(input: WaypointChain, to: TcpChain): FilterChain {
  const { name, security, manager } = input;
  const filters = tcpFilters(to, forwarding(manager, "waypoint"));
  const match = {
    ...matchOf(input),
    ...(to.sniHosts?.length ? { serverNames: [...to.sniHosts] } : {}),
  };
  const built = chain(name, match, filters.at(-1)!, {
    security: [
      ...(input.direct === true ? [destinationFilter()] : []),
      ...security.tcp,
      ...filters.slice(0, -1),
    ],
  });
  return built;
}

/** Input of the listener. */
export interface WaypointListener {
  readonly chains: readonly FilterChain[];
  /** Ports at which HTTP is found out; `all`: at every port. */
  readonly detected: readonly number[] | "all";
  /** Ports at which the server name of TLS is read. */
  readonly tls: readonly number[];
  readonly manager: ListenerParts["manager"];
}

/** The chain of a waypoint to which nothing is bound. */
const CLOSING_CHAIN = "nothing-bound";

/** Builds the internal listener. Connections to other destinations are closed. */
export function waypointInternal({ chains, detected, tls, manager }: WaypointListener): Listener {
  const inspectors = [
    ...(tls.length === 0 ? [] : [tlsInspector(not(portIn(tls)))]),
    ...(detected === "all"
      ? [httpInspector()]
      : detected.length === 0
      ? []
      : [httpInspector(not(portIn(detected)))]),
  ];
  return assembleInternal({
    name: MAIN_INTERNAL,
    direction: "inbound",
    manager,
    // The proxy rejects a listener without chains. A chain without filters closes its connections.
    chains: chains.length > 0 ? chains : [create(FilterChainSchema, { name: CLOSING_CHAIN })],
    listenerFilters: [originalDestination(), ...inspectors],
    detects: inspectors.length > 0,
  });
}
