/**
 * Selects the filter chain of a connection. Envoy evaluates one criterion after the other, keeps
 * the most specific chains of each, and never backtracks.
 *
 * @module
 */
import type { CidrRange } from "#envoy/config/core/v3/address_pb.ts";
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import {
  type FilterChain,
  type FilterChainMatch,
  FilterChainMatch_ConnectionSourceType as SourceType,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import { type Journey, note } from "./journey.ts";
import type { Seen } from "./listener.ts";
import { inRange } from "./match.ts";

/**
 * Result of comparing a chain by one criterion: `undefined` if it does not match, otherwise higher
 * is more specific.
 */
type Fit = (match: FilterChainMatch | undefined) => number | undefined;

interface Criterion {
  readonly name: string;
  readonly fit: Fit;
}

/** The criteria, in Envoy's order. */
function criteria({ call }: Journey, seen: Seen): Criterion[] {
  const { source, destination } = call;
  const local = source.ip === destination.ip || /^127\.|^::1$/.test(source.ip);
  return [
    { name: "destination port", fit: (m) => equal(m?.destinationPort, destination.port) },
    { name: "destination address", fit: (m) => ranged(m?.prefixRanges, destination.ip) },
    { name: "server name", fit: (m) => named(m?.serverNames ?? [], seen.serverName) },
    {
      name: "transport protocol",
      fit: (m) => equal(m?.transportProtocol || undefined, seen.transport),
    },
    { name: "application protocol", fit: (m) => spoken(m?.applicationProtocols ?? [], seen) },
    { name: "direct source address", fit: (m) => ranged(m?.directSourcePrefixRanges, source.ip) },
    { name: "kind of source", fit: (m) => kindOfSource(m?.sourceType, local) },
    { name: "source address", fit: (m) => ranged(m?.sourcePrefixRanges, source.ip) },
    { name: "source port", fit: (m) => ported(m?.sourcePorts ?? [], source.port) },
  ];
}

function equal<T>(wanted: T | undefined, is: T): number | undefined {
  return wanted === undefined ? 0 : wanted === is ? 1 : undefined;
}

/** The longest prefix wins; a match without ranges matches everything. */
function ranged(ranges: readonly CidrRange[] | undefined, ip: string): number | undefined {
  if (ranges === undefined || ranges.length === 0) return 0;
  const hits = ranges.filter((range) => inRange(ip, range)).map((range) => range.prefixLen ?? 0);
  return hits.length === 0 ? undefined : Math.max(...hits);
}

/** The exact name wins, then the wildcards from the longest on, then no name. */
function named(names: readonly string[], name: string): number | undefined {
  if (names.length === 0) return 0;
  const fits = names.flatMap((one) => {
    const wanted = one.toLowerCase();
    if (wanted === name) return name === "" ? [] : [Infinity];
    if (!wanted.startsWith("*.")) return [];
    const rest = wanted.slice(1);
    return name.length > rest.length && name.endsWith(rest) ? [rest.length] : [];
  });
  return fits.length === 0 ? undefined : Math.max(...fits);
}

/** The first protocol of the client that a chain matches. */
function spoken(wanted: readonly string[], { protocols }: Seen): number | undefined {
  if (wanted.length === 0) return 0;
  const at = protocols.findIndex((one) => wanted.includes(one));
  return at < 0 ? undefined : protocols.length - at;
}

function kindOfSource(wanted: SourceType | undefined, local: boolean): number | undefined {
  if (wanted === undefined || wanted === SourceType.ANY) return 0;
  return (wanted === SourceType.SAME_IP_OR_LOOPBACK) === local ? 1 : undefined;
}

function ported(ports: readonly number[], port: number | undefined): number | undefined {
  if (ports.length === 0) return 0;
  return port !== undefined && ports.includes(port) ? 1 : undefined;
}

/** Returns the chain of a connection; `undefined`: none matches, and the connection is closed. */
export function findChain(
  listener: Listener,
  seen: Seen,
  journey: Journey,
): FilterChain | undefined {
  let left: readonly FilterChain[] = listener.filterChains;
  const { source, assumedAddresses = [] } = journey.call;
  if (assumedAddresses.includes(source.ip) && left.some(asksForSource)) {
    journey.unmodelled.add("the client's address, which decides the filter chain");
  }
  const deciding: string[] = [];
  for (const { name, fit } of criteria(journey, seen)) {
    const fits = left.map((chain) => fit(chain.filterChainMatch));
    const best = Math.max(-1, ...fits.map((one) => one ?? -1));
    const kept = left.filter((_, at) => fits[at] === best);
    if (best > 0) deciding.push(name);
    left = kept;
  }
  const [chain] = left;
  if (chain !== undefined) {
    const why = deciding.length === 0
      ? "asks for nothing that another chain fits better"
      : `by ${deciding.join(", ")}`;
    note(journey, "filter chain", nameOf(chain, listener), `${why} (${describeSeen(seen)})`);
    return chain;
  }
  const rest = listener.defaultFilterChain;
  if (rest !== undefined) {
    note(
      journey,
      "filter chain",
      nameOf(rest, listener),
      `takes what no other does (${describeSeen(seen)})`,
    );
  }
  return rest;
}

function asksForSource({ filterChainMatch: match }: FilterChain): boolean {
  return (match?.sourcePrefixRanges.length ?? 0) + (match?.directSourcePrefixRanges.length ?? 0) >
    0;
}

function describeSeen({ transport, serverName, protocols }: Seen): string {
  return [
    transport === "tls" ? "TLS" : "no TLS seen",
    ...(serverName === "" ? [] : [`for ${serverName}`]),
    ...(protocols.length === 0 ? [] : [`speaking ${protocols.join(", ")}`]),
  ].join(", ");
}

/** A chain without name is identified by its index. */
function nameOf(chain: FilterChain, { filterChains }: Listener): string {
  if (chain.name !== "") return chain.name;
  const at = filterChains.indexOf(chain);
  return at < 0 ? "default" : `#${at}`;
}
