/**
 * The hosts that are given virtual addresses, in groups by hash.
 *
 * @module
 */
import {
  type ServiceEntry,
  ServiceEntry_Resolution,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { isWildcard } from "../../model/mod.ts";

/** Hosts of one group share its addresses, so that a new host changes the addresses of few others. */
export const ADDRESS_GROUPS = 1024;

/**
 * Reports if hosts of an entry are auto-allocated addresses. Without resolution, connections go to their
 * original destination.
 */
export function isAutoAllocated({ addresses, resolution }: ServiceEntry): boolean {
  return addresses.length === 0 && resolution !== ServiceEntry_Resolution.NONE &&
    resolution !== ServiceEntry_Resolution.DYNAMIC_DNS;
}

/**
 * The group of a host, its bucket in `autoAddressHosts`; `undefined` for a wildcard, which DNS cannot
 * resolve.
 */
export function groupOf(host: string): number | undefined {
  return isWildcard(host) ? undefined : fnv(host) % ADDRESS_GROUPS;
}

/** FNV-1a, 32 bits. */
export function fnv(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
