/**
 * Filter chains.
 *
 * @module
 */
import {
  type Filter,
  type FilterChain,
  type FilterChainMatch,
  FilterChainMatchSchema,
  FilterChainSchema,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import { create, type MessageInitShape, toJsonString } from "../../proto/mod.ts";
import { cidrRange } from "../wire/mod.ts";
import type { ManagerDefaults, TcpChain } from "./input.ts";
import { tcpProxyFilter } from "./tcp_proxy.ts";

/** What a chain takes; `undefined`: everything. */
export type ChainMatch = MessageInitShape<typeof FilterChainMatchSchema>;

/** A chain of one filter. */
export function chain(name: string, match: ChainMatch | undefined, filter: Filter): FilterChain {
  return create(FilterChainSchema, {
    name,
    filterChainMatch: match === undefined ? undefined : create(FilterChainMatchSchema, match),
    filters: [filter],
  });
}

/** A chain that forwards every connection to one cluster, named after it in statistics. */
export function forwardChain(
  name: string,
  match: ChainMatch | undefined,
  cluster: string,
  manager: Pick<ManagerDefaults, "accessLog" | "idleTimeoutMs">,
): FilterChain {
  return chain(
    name,
    match,
    tcpProxyFilter({
      statPrefix: cluster,
      clusters: [{ cluster, weight: 1 }],
      idleTimeoutMs: manager.idleTimeoutMs,
      accessLog: manager.accessLog,
    }),
  );
}

/**
 * Chains of TCP destinations. Envoy refuses a listener with two chains for the
 * same connections, so of two the first stays; a chain whose ranges cannot be
 * read takes nothing rather than everything.
 */
export function tcpChains(
  inputs: readonly TcpChain[],
  manager: Pick<ManagerDefaults, "accessLog" | "idleTimeoutMs">,
): FilterChain[] {
  const chains = new Map<string, FilterChain>();
  for (const input of inputs) {
    const match = tcpMatch(input);
    if (match === "nothing") continue;
    const key = match === undefined ? "" : toJsonString(FilterChainMatchSchema, match);
    if (chains.has(key)) continue;
    const filter = tcpProxyFilter({
      ...input,
      idleTimeoutMs: input.idleTimeoutMs ?? manager.idleTimeoutMs,
      accessLog: manager.accessLog,
    });
    chains.set(key, create(FilterChainSchema, { filterChainMatch: match, filters: [filter] }));
  }
  return [...chains.values()];
}

function tcpMatch(input: TcpChain): FilterChainMatch | undefined | "nothing" {
  const cidrs = input.destinationCidrs ?? [];
  const prefixRanges = cidrs.map(cidrRange).filter((range) => range !== undefined);
  if (cidrs.length > 0 && prefixRanges.length === 0) return "nothing";
  // Envoy knows no server name that stands for all; without names a chain takes them all.
  const sniHosts = input.sniHosts ?? [];
  const serverNames = sniHosts.includes("*") ? [] : [...sniHosts];
  if (prefixRanges.length === 0 && serverNames.length === 0) return undefined;
  return create(FilterChainMatchSchema, { prefixRanges, serverNames });
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
