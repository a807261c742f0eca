/**
 * Listeners for what workloads send.
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

/** What all outbound listeners of services have. */
export interface OutboundBinding extends Binding {
  /** Whether the listener opens its own port: nothing captures traffic, or a Sidecar says so. */
  readonly bindToPort: boolean;
  /**
   * Cluster for traffic that is none of the listener's: `PassthroughCluster` or
   * `BlackHoleCluster`. Only listeners that meet arbitrary destinations have one.
   */
  readonly fallthroughCluster?: string;
  readonly manager: ManagerDefaults;
}

/** An HTTP listener. */
export interface OutboundHttpInput extends OutboundBinding {
  /** Route table, for example `80`, `http_proxy` or a socket's address. */
  readonly routeName: string;
  readonly protocol?: Protocol;
  /** Clients use the listener as their HTTP proxy. */
  readonly allowAbsoluteUrl?: boolean;
}

/** A listener that TCP services share, alone or with HTTP services. */
export interface OutboundTcpInput extends OutboundBinding {
  /** Of two for the same connections the first counts. */
  readonly chains: readonly TcpChain[];
  /** Route table of HTTP, wherever it is found; `undefined`: it is not looked for. */
  readonly httpRoutes?: string;
}

/** Name of the chain for traffic that is none of a listener's. */
const FALLTHROUGH_CHAIN = "PassthroughFilterChain";

/**
 * The listener of an HTTP port. With a fall-through cluster the first bytes
 * decide: what is not HTTP goes there.
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
  { bind, port, manager }: OutboundBinding,
  routeName: string,
  more: Pick<OutboundHttpInput, "protocol" | "allowAbsoluteUrl"> & { found?: true } = {},
): Filter {
  return managerFilter({
    class: "outbound",
    statPrefix: `outbound_${listenerName(bind, port)}`,
    routes: { rds: routeName },
    protocol: more.protocol,
    allowAbsoluteUrl: more.allowAbsoluteUrl,
    found: more.found,
    defaults: manager,
  });
}

/** What connections are in which HTTP was found. */
function foundHttp({ http10 }: ManagerDefaults): ChainMatch {
  return { transportProtocol: RAW_BUFFER, applicationProtocols: httpProtocols(http10) };
}

/**
 * The listener of TCP services: one address, or destinations told apart by
 * address ranges or TLS server names. HTTP may be found among the connections,
 * of all or of some destinations.
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
 * Envoy does not go back: once it has picked the chains of an address without
 * TLS, one of them must take what is not HTTP.
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

/** What the capturing listener is made from. */
export interface VirtualOutboundInput extends Binding {
  /** For destinations that no service claims: `PassthroughCluster`, `BlackHoleCluster` or an egress proxy's. */
  readonly egressCluster: string;
  /** TPROXY capture. */
  readonly transparent?: boolean;
  readonly manager: ManagerDefaults;
}

/**
 * The listener that captured connections arrive at: each goes to the listener of
 * its original destination, else to the egress cluster. Connections meant for
 * this very port would come back for ever, so they end here.
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
