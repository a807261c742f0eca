/**
 * Virtual addresses for hosts that have none of their own, so that connections to them can be told
 * apart: proxies that answer DNS hand them out, and listen there.
 *
 * An address follows from the name of its host, and where names meet from the names that begin
 * alike in the hash: neither from the order in which hosts came nor from time. Daemons that know the
 * same hosts give the same addresses.
 *
 * @module
 */
import type { Derived, Graph, Index, Read } from "../graph/mod.ts";
import {
  type ServiceEntry,
  ServiceEntry_Resolution,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { isWildcard } from "./hosts.ts";

/** Hosts with one hash share the addresses of a group, so that one more host concerns a few others at most. */
const GROUPS = 1024;
/** Addresses of a group; all groups together are 240.240.0.0/16. */
const GROUP_SIZE = 64;

/** Whether hosts of an entry are given addresses: what has no resolution goes to where it was meant to go. */
export function isGivenAddress({ addresses, resolution }: ServiceEntry): boolean {
  return addresses.length === 0 && resolution !== ServiceEntry_Resolution.NONE &&
    resolution !== ServiceEntry_Resolution.DYNAMIC_DNS;
}

/** The bucket of `givenHosts` in which a host is; none for a wildcard, which is no host that is asked for. */
export function groupOf(host: string): string[] {
  return isWildcard(host) ? [] : [`${fnv(host) % GROUPS}`];
}

/** What is asked for hosts and addresses that are taken; see `Indexes`. */
interface GivenIndexes {
  readonly givenHosts: Index;
  readonly hostsByVip: Index;
}

/**
 * Creates the table: host → the addresses it is given, IPv4 (of 240.240.0.0/16) and IPv6 (of
 * 2001:2::/48); empty for hosts that every entry gives addresses, and for those that find no place.
 */
export function deriveGivenAddresses(
  graph: Graph,
  indexes: GivenIndexes,
): Derived<readonly string[]> {
  return graph.derive<readonly string[]>(
    "addresses.given",
    (read, host) => groupOf(host).flatMap((group) => placeIn(read, indexes, group, host)),
    { equal: (a, b) => a.length === b.length && a.every((address, i) => address === b[i]) },
  );
}

/** Has the hosts of a group take their places by name, each the first free one from where its hash points to. */
function placeIn(read: Read, indexes: GivenIndexes, group: string, wanted: string): string[] {
  const taken = new Set<number>();
  for (const host of read.members(indexes.givenHosts, group)) {
    const first = Math.floor(fnv(host) / GROUPS);
    for (let step = 0; step < GROUP_SIZE; step++) {
      const place = Number(group) * GROUP_SIZE + (first + step) % GROUP_SIZE;
      const addresses = addressesAt(place);
      if (taken.has(place) || addresses.some((a) => read.any(indexes.hostsByVip, a))) continue;
      if (addresses.length === 0) continue;
      if (host === wanted) return addresses;
      taken.add(place);
      break;
    }
  }
  return [];
}

/** The addresses of a place from 0 to 65535; none where the last byte is that of a network or a broadcast. */
function addressesAt(place: number): string[] {
  const last = place & 0xff;
  if (last === 0 || last === 0xff) return [];
  return [`240.240.${place >> 8}.${last}`, `2001:2::f0f0:${place.toString(16)}`];
}

/** FNV-1a, 32 bits. */
function fnv(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
