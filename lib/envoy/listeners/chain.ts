/**
 * Filter chains.
 *
 * @module
 */
import type { TransportSocket } from "#envoy/config/core/v3/base_pb.ts";
import {
  type Filter,
  type FilterChain,
  FilterChainMatchSchema,
  FilterChainSchema,
  FilterSchema,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import { FilterConfigSchema as SniFilterSchema } from "#envoy/extensions/filters/network/sni_dynamic_forward_proxy/v3/sni_dynamic_forward_proxy_pb.ts";
import { create, type MessageInitShape, packAny } from "../../proto/mod.ts";
import { dnsCache, type Lookup } from "../core/mod.ts";
import { distinct } from "./distinct.ts";
import type { Forwarding } from "./input.ts";
import { protocolFilters } from "./protocol_filters.ts";
import type { TcpChain } from "./tcp_chain.ts";
import { tcpProxyFilter } from "./tcp_proxy.ts";

/** What a chain takes; `undefined`: everything. */
export type ChainMatch = MessageInitShape<typeof FilterChainMatchSchema>;

/** What stands before the last filter of a chain. */
export interface ChainHead {
  /** Filters that let connections in or refuse them. */
  readonly guard?: readonly Filter[];
  /** Ends the clients' TLS. */
  readonly transportSocket?: TransportSocket;
}

/** A chain that ends in a filter. */
export function chain(
  name: string,
  match: ChainMatch | undefined,
  filter: Filter,
  { guard = [], transportSocket }: ChainHead = {},
): FilterChain {
  return create(FilterChainSchema, {
    name,
    filterChainMatch: match === undefined ? undefined : create(FilterChainMatchSchema, match),
    filters: [...guard, filter],
    transportSocket,
  });
}

/** A chain that forwards every connection to one cluster. */
export interface ForwardChain extends Partial<Pick<Forwarding, "signals" | "idleTimeoutMs">> {
  readonly match?: ChainMatch | undefined;
  /** Also its name in statistics. */
  readonly cluster: string;
  readonly head?: ChainHead;
}

/** Builds a chain that forwards every connection to one cluster. */
export function forwardChain(
  name: string,
  { match, cluster, head, idleTimeoutMs, signals }: ForwardChain,
): FilterChain {
  const filter = tcpProxyFilter({
    statPrefix: cluster,
    clusters: [{ cluster, weight: 1 }],
    idleTimeoutMs,
    signals,
  });
  return chain(name, match, filter, head);
}

/** Chains of TCP destinations. */
export function tcpChains(
  inputs: readonly TcpChain[],
  how: Forwarding,
): FilterChain[] {
  return distinct(inputs).map(([input, match]) => tcpChain(input, match, how));
}

/** The chain of one TCP destination. */
export function tcpChain(
  input: TcpChain,
  match: ChainMatch | undefined,
  how: Forwarding,
): FilterChain {
  return create(FilterChainSchema, {
    filterChainMatch: match,
    filters: tcpFilters(input, how),
  });
}

/** The filters that forward the connections of a chain. */
export function tcpFilters(
  input: TcpChain,
  how: Forwarding,
): Filter[] {
  const forward = tcpProxyFilter({
    ...input,
    onDemand: how.onDemand,
    idleTimeoutMs: input.idleTimeoutMs ?? how.idleTimeoutMs,
    signals: how.signals,
  });
  const { lookUpPort } = input;
  return [
    ...(lookUpPort === undefined || how.lookup === undefined
      ? []
      : [lookUpFilter(lookUpPort, how.lookup)]),
    ...protocolFilters(input, forward),
  ];
}

/** Holds connections until their TLS server name has been looked up. */
function lookUpFilter(port: number, lookup: Lookup): Filter {
  return create(FilterSchema, {
    name: "envoy.filters.network.sni_dynamic_forward_proxy",
    configType: {
      case: "typedConfig",
      value: packAny(SniFilterSchema, {
        dnsCacheConfig: dnsCache(lookup),
        portSpecifier: { case: "portValue", value: port },
      }),
    },
  });
}

/** Chains as a listener has them. */
export interface ChainSet {
  readonly chains: readonly FilterChain[];
  /** Takes what no other chain does. */
  readonly defaultChain?: FilterChain;
}

/**
 * Beside others, the chain for everything must be the default one. Envoy does
 * not go back: a connection whose address leads to one chain and whose server
 * name is not that chain's would be closed.
 *
 * @param fallthrough what takes the rest when no chain does
 */
export function withDefault(
  all: readonly FilterChain[],
  fallthrough: FilterChain | undefined,
): ChainSet {
  const rest = all.find(({ filterChainMatch }) => filterChainMatch === undefined);
  if (rest === undefined) return { chains: all, defaultChain: fallthrough };
  if (all.length === 1) return { chains: all };
  return { chains: all.filter((c) => c !== rest), defaultChain: rest };
}

/** Whether chains are told apart by TLS server name. */
export function bySni(chains: readonly FilterChain[]): boolean {
  return chains.some((c) => (c.filterChainMatch?.serverNames.length ?? 0) > 0);
}
