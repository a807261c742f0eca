/**
 * Listeners for what workloads send.
 *
 * @module
 */
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import type { FilterChain } from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { Protocol } from "../../model/mod.ts";
import { BLACK_HOLE_CLUSTER } from "../cluster/mod.ts";
import { assemble, listenerName } from "./assemble.ts";
import { chain, forwardChain, tcpChains, withDefault } from "./chain.ts";
import { httpInspector, httpProtocols, RAW_BUFFER, tlsInspector } from "./detect.ts";
import type { Binding, ManagerDefaults, TcpChain } from "./input.ts";
import { managerFilter } from "./manager.ts";

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

/** A TCP listener. */
export interface OutboundTcpInput extends OutboundBinding {
  /** Of two for the same connections the first counts. */
  readonly chains: readonly TcpChain[];
}

/** Name of the chain for traffic that is none of a listener's. */
const FALLTHROUGH_CHAIN = "PassthroughFilterChain";

/**
 * The listener of an HTTP port. With a fall-through cluster the first bytes
 * decide: what is not HTTP goes there.
 */
export function outboundHttpListener(input: OutboundHttpInput): Listener {
  const { manager, fallthroughCluster: fallthrough } = input;
  const http = managerFilter({
    class: "outbound",
    statPrefix: `outbound_${listenerName(input.bind, input.port)}`,
    routes: { rds: input.routeName },
    protocol: input.protocol,
    allowAbsoluteUrl: input.allowAbsoluteUrl,
    defaults: manager,
  });
  if (fallthrough === undefined) {
    return assemble({ ...input, direction: "outbound", chains: [chain("", undefined, http)] });
  }
  const match = {
    transportProtocol: RAW_BUFFER,
    applicationProtocols: httpProtocols(manager.http10),
  };
  return assemble({
    ...input,
    direction: "outbound",
    chains: [chain("", match, http)],
    defaultChain: forwardChain(FALLTHROUGH_CHAIN, undefined, fallthrough, manager),
    listenerFilters: [tlsInspector(), httpInspector()],
    detects: true,
  });
}

/**
 * The listener of TCP services: one address, or destinations told apart by
 * address ranges or TLS server names.
 */
export function outboundTcpListener(input: OutboundTcpInput): Listener {
  const { manager, fallthroughCluster: fallthrough } = input;
  const chains = tcpChains(input.chains, manager);
  const detects = bySni(chains);
  const rest = fallthrough === undefined
    ? undefined
    : forwardChain(FALLTHROUGH_CHAIN, undefined, fallthrough, manager);
  return assemble({
    ...input,
    direction: "outbound",
    ...withDefault(chains, rest),
    listenerFilters: detects ? [tlsInspector()] : [],
    detects,
  });
}

/** Whether chains are told apart by TLS server name. */
export function bySni(chains: readonly FilterChain[]): boolean {
  return chains.some((c) => (c.filterChainMatch?.serverNames.length ?? 0) > 0);
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
      forwardChain(
        "virtualOutbound-blackhole",
        { destinationPort: port },
        BLACK_HOLE_CLUSTER,
        {},
      ),
      forwardChain("virtualOutbound-catchall-tcp", undefined, egressCluster, manager),
    ],
  });
}
