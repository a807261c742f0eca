/**
 * Addresses of services, as proxies of a namespace use them.
 *
 * @module
 */
import { allocationOf, isRange } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { Service } from "../../model/mod.ts";
import { flatMapInParts } from "../../../kit/base/mod.ts";
import { isIp } from "../../../kit/text/mod.ts";
import { type Family, isOfFamily } from "./family.ts";
import { findService, type MeshContext } from "./lookups.ts";

/** Use of addresses by proxies. */
export interface AddressUse {
  /** True if hosts without addresses have the auto-allocated ones, unless a label says otherwise. */
  readonly autoAddresses: boolean;
  readonly family: Family;
  /** Id of the remote cluster whose addresses precede; absent: those of the daemon's cluster do. */
  readonly cluster?: string | undefined;
}

/** The virtual addresses of a service for the proxies of a cluster: its own there, or else the common ones. */
function addressesIn(
  { addresses, clusterAddresses }: Service,
  cluster: string | undefined,
): readonly string[] {
  return (cluster === undefined ? undefined : clusterAddresses?.[cluster]) ?? addresses;
}

/**
 * The virtual addresses among some that a host owns, as the proxies of a namespace in a cluster see them. If
 * several hosts have the same address, one that has it in this cluster owns it, then the first by name:
 * Envoy rejects a route table with a duplicate domain, and two listeners at one address. Clusters
 * assign addresses independently of each other.
 */
export function ownedAddresses(
  read: Read,
  context: MeshContext,
  seen: {
    readonly namespace: string;
    readonly host: string;
    readonly cluster?: string | undefined;
  },
  addresses: readonly string[],
): string[] {
  const includes = membership();
  return flatMapInParts(
    read,
    addresses,
    (address) => ownsAddress(read, context, { ...seen, includes }, address) ? [address] : [],
  );
}

type Includes = (list: readonly string[], item: string) => boolean;

/** Lists up to this length are searched from their start. */
const SHORT = 16;

/** Looks for items in lists, without reading a long list for each of its items. */
function membership(): Includes {
  const sets = new Map<readonly string[], ReadonlySet<string>>();
  return (list, item) => {
    if (list.length <= SHORT) return list.includes(item);
    let set = sets.get(list);
    if (set === undefined) sets.set(list, set = new Set(list));
    return set.has(item);
  };
}

function ownsAddress(
  read: Read,
  context: MeshContext,
  { namespace, host, cluster, includes }: Parameters<typeof ownedAddresses>[2] & {
    readonly includes: Includes;
  },
  address: string,
): boolean {
  const sharers = read.members(context.mesh.indexes.hostsByVip, address);
  // An auto-allocated address belongs to one host.
  if (sharers.length === 0) return true;
  const holders = sharers.flatMap((candidate) => {
    const service = findService(read, context, namespace, candidate);
    return service !== undefined && includes(addressesIn(service, cluster), address)
      ? [service]
      : [];
  });
  const native = holders.find(({ clusterAddresses, addressCluster }) =>
    cluster !== undefined && clusterAddresses?.[cluster] !== undefined ||
    addressCluster === cluster
  );
  return (native ?? holders[0])?.host === host;
}

/**
 * The single addresses and ranges of a service. A service without any has the auto-allocated
 * addresses of its host, of the proxy's families.
 */
export function addressesOf(
  read: Read,
  { mesh }: MeshContext,
  service: Service,
  { autoAddresses, family, cluster }: AddressUse,
): readonly string[] {
  const allocated = allocationOf(service.labels) ?? autoAddresses;
  const own = addressesIn(service, cluster);
  if (own.length > 0 || !allocated) return own;
  return read.get(mesh.autoAddresses, service.host)
    .filter((address) => isOfFamily(family, address));
}

/** A port of a service, as a namespace sees it. */
export interface SeenPort {
  readonly namespace: string;
  readonly service: Service;
  readonly port: number;
}

/**
 * The addresses at which a host has TCP listeners of its own: its single addresses, or those of its
 * instances if it is headless; of the proxy's families.
 */
export function listenedAddresses(
  read: Read,
  context: MeshContext,
  seen: SeenPort,
  use: AddressUse,
): readonly string[] {
  const { namespace, service } = seen;
  if (service.headless === true) {
    return instancesOf(read, context, seen).filter((address) => isOfFamily(use.family, address));
  }
  const single = addressesOf(read, context, service, use)
    .filter((address) => !isRange(address) && isOfFamily(use.family, address));
  const { host } = service;
  return ownedAddresses(read, context, { namespace, host, cluster: use.cluster }, single);
}

/**
 * Addresses of a headless service's instances. An instance of several such services belongs to the
 * first of them by name.
 */
function instancesOf(
  read: Read,
  context: MeshContext,
  { namespace, service, port }: SeenPort,
): string[] {
  const { mesh } = context;
  const addresses = (of: Service): string[] =>
    read.get(mesh.services.endpoints, of).map((e) => e.address).filter(isIp);
  const before = read.members(mesh.indexes.headlessHosts, port)
    .filter((host) => host < service.host)
    .flatMap((host) => findService(read, context, namespace, host) ?? [])
    .filter((other) => other.headless === true);
  const taken = new Set(before.flatMap(addresses));
  return [...new Set(addresses(service))].filter((address) =>
    !taken.has(address) && !read.any(mesh.indexes.hostsByVip, address)
  );
}

/** Reports if a host may have TCP listeners of its own, in any cluster; see {@link listenedAddresses}. */
export function hasOwnListeners(
  read: Read,
  context: MeshContext,
  service: Service,
  use: AddressUse,
): boolean {
  return service.headless === true || service.clusterAddresses !== undefined ||
    addressesOf(read, context, service, use).some((address) => !isRange(address));
}
