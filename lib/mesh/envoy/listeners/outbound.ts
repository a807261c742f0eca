/**
 * Outbound listeners of workloads.
 *
 * @module
 */
import type {
  Filter,
  FilterChain,
  FilterChainMatch,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import type { Protocol } from "../../model/mod.ts";
import { type ManagerDefaults, managerFilter } from "../connection_manager/mod.ts";
import { BLACK_HOLE_CLUSTER } from "../core/mod.ts";
import { assemble, listenerName } from "./assemble.ts";
import { bySni, chain, type ChainMatch, forwardChain, tcpChain, withDefault } from "./chain.ts";
import { httpInspector, httpProtocols, RAW_BUFFER, tlsInspector } from "./detect.ts";
import { distinct } from "./distinct.ts";
import { type Binding, forwarding } from "./input.ts";
import type { TcpChain } from "./tcp_chain.ts";

/** Common input of outbound listeners. */
export interface OutboundBinding extends Binding {
  /**
   * True: the listener opens its own port, because traffic is not captured, or a Sidecar requires
   * it.
   */
  readonly bindToPort: boolean;
  /**
   * Cluster for connections that no chain matches: `PassthroughCluster` or `BlackHoleCluster`. Only
   * listeners that get arbitrary destinations have one.
   */
  readonly fallthroughCluster?: string;
  /** Protocol of the HTTP; default: HTTP. */
  readonly protocol?: Protocol | undefined;
  /** Name in statistics instead of the address. */
  readonly statName?: string | undefined;
  readonly manager: ManagerDefaults;
}

/** An HTTP listener. */
export interface OutboundHttpInput extends OutboundBinding {
  /** Route table, for example `80`, `http_proxy` or a socket's address. */
  readonly routeName: string;
  /** True: clients use the listener as their HTTP proxy. */
  readonly allowAbsoluteUrl?: boolean;
}

/** A listener that TCP services share, alone or with HTTP services. */
export interface OutboundTcpInput extends OutboundBinding {
  /** If two chains match the same connections, the first one is used. */
  readonly chains: readonly TcpChain[];
  /** Route table for detected HTTP; `undefined`: no detection. */
  readonly httpRoutes?: string;
}

/** Name of the chain for connections that no other chain matches. */
const FALLTHROUGH_CHAIN = "PassthroughFilterChain";

/**
 * Builds the listener of an HTTP port. With a fall-through cluster, protocol detection is enabled
 * and other protocols go to that cluster.
 */
export function outboundHttpListener(input: OutboundHttpInput): Listener {
  const { manager, fallthroughCluster: fallthrough } = input;
  const http = httpFilter(input, input.routeName, input);
  if (fallthrough === undefined) {
    return assemble({ ...input, direction: "outbound", chains: [chain("", undefined, http)] });
  }
  return assemble({
    ...input,
    direction: "outbound",
    chains: [chain("", foundHttp(manager), http)],
    defaultChain: forwardChain(FALLTHROUGH_CHAIN, {
      ...forwarding(manager, "client"),
      cluster: fallthrough,
    }),
    listenerFilters: [tlsInspector(), httpInspector()],
    detects: true,
  });
}

function httpFilter(
  { bind, port, protocol, statName, manager }: OutboundBinding,
  routeName: string,
  more: Pick<OutboundHttpInput, "allowAbsoluteUrl"> & { found?: true } = {},
): Filter {
  return managerFilter({
    class: "outbound",
    statPrefix: `outbound_${listenerName(statName ?? bind, port)}`,
    routes: { rds: routeName },
    protocol,
    allowAbsoluteUrl: more.allowAbsoluteUrl,
    found: more.found,
    defaults: manager,
  });
}

/** Returns the match of connections with detected HTTP. */
function foundHttp({ http10 }: ManagerDefaults): ChainMatch {
  return { transportProtocol: RAW_BUFFER, applicationProtocols: httpProtocols(http10) };
}

/**
 * Builds the listener of TCP services: one address, or chains by address range or SNI. HTTP may be
 * detected for all or some destinations.
 */
export function outboundTcpListener(input: OutboundTcpInput): Listener {
  const { manager, fallthroughCluster: fallthrough, httpRoutes } = input;
  const tcp = distinct(input.chains).flatMap(([one, match]) =>
    destinationChains(input, one, match)
  );
  const chains = httpRoutes === undefined
    ? tcp
    : [chain("", foundHttp(manager), httpFilter(input, httpRoutes, { found: true })), ...tcp];
  const http = httpRoutes !== undefined ||
    input.chains.some((c) => c.httpRoutes !== undefined);
  const detects = http || bySni(chains);
  const rest = fallthrough === undefined ? undefined : forwardChain(FALLTHROUGH_CHAIN, {
    ...forwarding(manager, "client"),
    cluster: fallthrough,
  });
  return assemble({
    ...input,
    direction: "outbound",
    ...withDefault(chains, rest),
    listenerFilters: [...(detects ? [tlsInspector()] : []), ...(http ? [httpInspector()] : [])],
    detects,
  });
}

/**
 * Envoy does not backtrack: after it has selected the chains of an address without TLS, one of them
 * must match what is not HTTP.
 */
function destinationChains(
  input: OutboundTcpInput,
  one: TcpChain,
  match: FilterChainMatch | undefined,
): FilterChain[] {
  const { manager } = input;
  const how = forwarding(manager, "client");
  const all = tcpChain(one, match, how);
  if (one.httpRoutes === undefined) return [all];
  const at: ChainMatch = { prefixRanges: match?.prefixRanges, serverNames: match?.serverNames };
  const found = { ...at, ...foundHttp(manager) };
  const http = chain("", found, httpFilter(input, one.httpRoutes, { found: true }));
  if (match === undefined) return [http, all];
  return [http, tcpChain(one, { ...at, transportProtocol: RAW_BUFFER }, how), all];
}

/** Input of the capturing listener. */
export interface VirtualOutboundInput extends Binding {
  /**
   * Cluster for unknown destinations: `PassthroughCluster`, `BlackHoleCluster` or that of an egress
   * proxy.
   */
  readonly egressCluster: string;
  /** TPROXY capture. */
  readonly transparent?: boolean;
  readonly manager: ManagerDefaults;
}

/**
 * Builds the listener of captured connections: it passes each one to the listener of its original
 * destination, otherwise to the egress cluster. Connections to the listener's own port would loop,
 * so they are closed.
 */
export function virtualOutbound(input: VirtualOutboundInput): Listener {
  const { port, egressCluster, manager } = input;
  return assemble({
    ...input,
    name: "virtualOutbound",
    direction: "outbound",
    bindToPort: true,
    useOriginalDst: true,
    chains: [
      forwardChain("virtualOutbound-blackhole", {
        match: { destinationPort: port },
        cluster: BLACK_HOLE_CLUSTER,
      }),
      forwardChain("virtualOutbound-catchall-tcp", {
        ...forwarding(manager, "client"),
        cluster: egressCluster,
      }),
    ],
  });
}
