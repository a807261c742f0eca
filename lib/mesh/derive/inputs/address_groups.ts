/**
 * The hosts that are given virtual addresses, in groups by hash.
 *
 * @module
 */
import {
  type ServiceEntry,
  ServiceEntry_Resolution,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { type ConfigObject, isWildcard } from "../../model/mod.ts";
import type { Labels } from "./keys.ts";

/** Hosts of one group share its addresses, so that a new host changes the addresses of few others. */
export const ADDRESS_GROUPS = 1024;

/** Addresses of a group; all groups together are 240.240.0.0/16. */
export const GROUP_SIZE = 64;

/** The label of ServiceEntries that says if their hosts are auto-allocated addresses. */
const ALLOCATE_LABEL = "networking.mesh.io/enable-autoallocate-ip";

/**
 * If labels of a ServiceEntry say that its hosts are auto-allocated addresses (`true`) or not
 * (`false`); `undefined`: the proxies' setting counts.
 */
export function allocationOf(labels: Labels): boolean | undefined {
  const text = labels[ALLOCATE_LABEL]?.toLowerCase();
  return text === "true" ? true : text === "false" ? false : undefined;
}

/**
 * Reports if hosts of an entry are auto-allocated addresses, for proxies that use them or for all.
 * Without resolution, connections go to their original destination. Services of an orchestrator get
 * no addresses: its DNS answers their names.
 */
export function isAutoAllocated({ meta, spec, service }: ConfigObject<ServiceEntry>): boolean {
  const { addresses, resolution } = spec;
  return service === undefined && addresses.length === 0 &&
    resolution !== ServiceEntry_Resolution.NONE &&
    resolution !== ServiceEntry_Resolution.DYNAMIC_DNS && allocationOf(meta.labels) !== false;
}

/**
 * The group of a host, its bucket in `autoAddressHosts`; `undefined` for a wildcard, which DNS cannot
 * resolve.
 */
export function groupOf(host: string): number | undefined {
  return isWildcard(host) ? undefined : fnv(host) % ADDRESS_GROUPS;
}

/** The group that an auto-allocated address belongs to; `undefined` for other addresses. */
export function groupAt(address: string): number | undefined {
  const v4 = /^240\.240\.(\d{1,3})\.(\d{1,3})$/.exec(address);
  if (v4) return Math.floor((Number(v4[1]) * 256 + Number(v4[2])) / GROUP_SIZE);
  const v6 = /^2001:2::f0f0:([0-9a-f]{1,4})$/.exec(address);
  return v6 ? Math.floor(parseInt(v6[1]!, 16) / GROUP_SIZE) : undefined;
}

/** FNV-1a, 32 bits. */
export function fnv(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
