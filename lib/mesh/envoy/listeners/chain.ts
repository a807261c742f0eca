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
import { create, type MessageInitShape, packAny } from "../../../kit/proto/mod.ts";
import { dnsCache, type Lookup } from "../core/mod.ts";
import { distinct } from "./distinct.ts";
import type { Forwarding } from "./input.ts";
import { protocolFilters } from "./protocol_filters.ts";
import type { TcpChain } from "./tcp_chain.ts";
import { tcpProxyFilter } from "./tcp_proxy.ts";

/** Match of a chain; `undefined`: everything. */
export type ChainMatch = MessageInitShape<typeof FilterChainMatchSchema>;

/** The parts of a chain before its last filter. */
export interface ChainHead {
  /** Filters that allow or deny connections. */
  readonly security?: readonly Filter[];
  /** Terminates the clients' TLS. */
  readonly transportSocket?: TransportSocket;
}

/** Builds a chain with a last filter. */
export function chain(
  name: string,
  match: ChainMatch | undefined,
  filter: Filter,
  { security = [], transportSocket }: ChainHead = {},
): FilterChain {
  return create(FilterChainSchema, {
    name,
    filterChainMatch: match === undefined ? undefined : create(FilterChainMatchSchema, match),
    filters: [...security, filter],
    transportSocket,
  });
}

/** A chain that forwards every connection to one cluster. */
export interface ForwardChain extends Partial<Pick<Forwarding, "telemetry" | "idleTimeoutMs">> {
  readonly match?: ChainMatch | undefined;
  /** Also its name in statistics. */
  readonly cluster: string;
  readonly head?: ChainHead;
}

/** Builds a chain that forwards every connection to one cluster. */
export function forwardChain(
  name: string,
  { match, cluster, head, idleTimeoutMs, telemetry }: ForwardChain,
): FilterChain {
  const filter = tcpProxyFilter({
    statPrefix: cluster,
    clusters: [{ cluster, weight: 1 }],
    idleTimeoutMs,
    telemetry,
    afterHandshake: head?.transportSocket !== undefined,
  });
  return chain(name, match, filter, head);
}

/** Builds the chains of TCP destinations. */
export function tcpChains(
  inputs: readonly TcpChain[],
  how: Forwarding,
): FilterChain[] {
  return distinct(inputs).map(([input, match]) => tcpChain(input, match, how));
}

/** Builds the chain of one TCP destination. */
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

/** Builds the filters that forward the connections of a chain. */
export function tcpFilters(
  input: TcpChain,
  how: Forwarding,
): Filter[] {
  const forward = tcpProxyFilter({
    ...input,
    onDemand: how.onDemand,
    idleTimeoutMs: input.idleTimeoutMs ?? how.idleTimeoutMs,
    telemetry: how.telemetry,
  });
  const { lookUpPort } = input;
  return [
    ...(lookUpPort === undefined || how.lookup === undefined
      ? []
      : [lookUpFilter(lookUpPort, how.lookup)]),
    ...protocolFilters(input, forward),
  ];
}

/** Holds connections until their SNI was resolved. */
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

/** The chains of a listener. */
export interface ChainSet {
  readonly chains: readonly FilterChain[];
  /** Chain for connections that no other chain matches. */
  readonly defaultChain?: FilterChain;
}

/**
 * Makes the catch-all chain the default chain if there are others. Envoy does not backtrack: a
 * connection that matches a chain by address and not by server name would be closed.
 *
 * @param fallthrough chain for connections that no chain matches
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

/** Reports if chains are selected by server name (SNI). */
export function bySni(chains: readonly FilterChain[]): boolean {
  return chains.some((c) => (c.filterChainMatch?.serverNames.length ?? 0) > 0);
}
