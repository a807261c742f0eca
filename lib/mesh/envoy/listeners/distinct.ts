/**
 * Makes the matches of chains distinct, by destination address and server name.
 *
 * @module
 */
import type { CidrRange } from "#envoy/config/core/v3/address_pb.ts";
import {
  type FilterChainMatch,
  FilterChainMatchSchema,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import { cidrRange } from "../core/mod.ts";
import type { TcpChain } from "./tcp_chain.ts";

/** The connections of a chain. */
export type Selector = Pick<TcpChain, "destinationCidrs" | "sniHosts">;

/**
 * Returns the connections that each input matches and no earlier input does: Envoy rejects a
 * listener with two chains for the same address and server name. An input that is partly covered
 * may need several matches; an input that is fully covered is omitted. An input whose ranges or
 * names are invalid is omitted too: it matches nothing rather than everything.
 *
 * @returns inputs with their matches, in order; `undefined`: everything
 */
export function distinct<S extends Selector>(
  inputs: readonly S[],
): [input: S, match: FilterChainMatch | undefined][] {
  const taken = new Set<string>();
  return inputs.flatMap((input) => {
    const ranges = rangesOf(input);
    const byRanges = new Map<string, { ranges: Range[]; names: string[] }>();
    for (const name of namesOf(input)) {
      const free = ranges.filter((range) => !taken.has(`${range.key}|${name}`));
      for (const range of free) taken.add(`${range.key}|${name}`);
      if (free.length === 0) continue;
      const key = free.map((range) => range.key).join();
      const group = byRanges.get(key);
      if (group === undefined) byRanges.set(key, { ranges: free, names: [name] });
      else group.names.push(name);
    }
    return [...byRanges.values()].map((group): [S, FilterChainMatch | undefined] => [
      input,
      matchOf(group.ranges, group.names),
    ]);
  });
}

interface Range {
  readonly key: string;
  /** `undefined`: any address. */
  readonly cidr: CidrRange | undefined;
}

function rangesOf({ destinationCidrs = [] }: Selector): Range[] {
  if (destinationCidrs.length === 0) return [{ key: "", cidr: undefined }];
  return destinationCidrs.flatMap((text) => {
    const cidr = cidrRange(text);
    return cidr === undefined ? [] : [{ key: `${cidr.addressPrefix}/${cidr.prefixLen}`, cidr }];
  });
}

/**
 * Envoy has no server name that matches all; a chain without names matches all. Envoy reports names
 * in lower case.
 */
function namesOf({ sniHosts = [] }: Selector): string[] {
  if (sniHosts.length === 0 || sniHosts.includes("*")) return [""];
  return sniHosts.filter((n) => n.lastIndexOf("*") <= 0 && (n[0] !== "*" || n[1] === "."))
    .map((name) => name.toLowerCase());
}

function matchOf(
  ranges: readonly Range[],
  names: readonly string[],
): FilterChainMatch | undefined {
  const prefixRanges = ranges.flatMap(({ cidr }) => cidr ?? []);
  const serverNames = names.filter((name) => name !== "");
  if (prefixRanges.length === 0 && serverNames.length === 0) return undefined;
  return create(FilterChainMatchSchema, { prefixRanges, serverNames });
}
