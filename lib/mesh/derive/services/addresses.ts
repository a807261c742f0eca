/**
 * Virtual addresses for hosts that have none of their own, so that connections to
 * them can be distinguished: proxies that answer DNS return them, and listen there.
 *
 * An address depends on the name of its host and on the names of hosts in the same
 * hash group, not on the order in which hosts appeared, nor on time. Daemons that
 * know the same hosts assign the same addresses.
 *
 * @module
 */
import { type Derived, type Graph, type Index, type Read, text } from "../../graph/mod.ts";
import { ADDRESS_GROUPS, fnv, GROUP_SIZE, groupOf } from "../inputs/mod.ts";

/** The indexes over hosts and over addresses that are taken; see `Indexes`. */
interface GivenIndexes {
  readonly autoAddressHosts: Index<number>;
  readonly hostsByVip: Index;
}

/**
 * Creates the table: host → the addresses it is given, IPv4 (in 240.240.0.0/16) and IPv6 (in
 * 2001:2::/48); empty for hosts that have addresses in every entry, and when the group is full.
 */
export function deriveAutoAddresses(
  graph: Graph,
  indexes: GivenIndexes,
): Derived<readonly string[]> {
  return graph.derive(
    "addresses.auto",
    text,
    (read, host): readonly string[] => {
      const group = groupOf(host);
      return group === undefined ? [] : addressesIn(read, indexes, group, host);
    },
    { equal: (a, b) => a.length === b.length && a.every((address, i) => address === b[i]) },
  );
}

/** The addresses of a host in its group. Hosts choose by name, each the first free slot from the one that its hash selects. */
function addressesIn(
  read: Read,
  indexes: GivenIndexes,
  group: number,
  wanted: string,
): string[] {
  const taken = new Set<number>();
  for (const host of read.members(indexes.autoAddressHosts, group)) {
    const first = Math.floor(fnv(host) / ADDRESS_GROUPS);
    for (let step = 0; step < GROUP_SIZE; step++) {
      const slot = group * GROUP_SIZE + (first + step) % GROUP_SIZE;
      const addresses = addressesAt(slot);
      if (taken.has(slot) || addresses.some((a) => read.any(indexes.hostsByVip, a))) continue;
      if (addresses.length === 0) continue;
      if (host === wanted) return addresses;
      taken.add(slot);
      break;
    }
  }
  return [];
}

/** The addresses of a slot from 0 to 65535; none where the last byte is that of a network or a broadcast address. */
function addressesAt(slot: number): string[] {
  const last = slot & 0xff;
  if (last === 0 || last === 0xff) return [];
  return [`240.240.${slot >> 8}.${last}`, `2001:2::f0f0:${slot.toString(16)}`];
}
