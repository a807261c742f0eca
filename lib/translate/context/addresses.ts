/**
 * Addresses of services, as proxies of a namespace use them.
 *
 * @module
 */
import { isRange } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { type Service } from "../../model/mod.ts";
import { isIp } from "../../text/mod.ts";
import { type Family, isOfFamily } from "./family.ts";
import { type MeshContext, pickService } from "./lookups.ts";

/**
 * Whether a host has a virtual address, as a namespace sees it. Of several hosts
 * with one address the first by name has it: Envoy refuses a table that says a
 * domain twice, and two listeners at one address.
 */
export function ownsAddress(
  read: Read,
  context: MeshContext,
  namespace: string,
  address: string,
  host: string,
): boolean {
  const sharers = read.members(context.mesh.indexes.hostsByVip, address);
  // An address that is given is of one host alone.
  if (sharers.length === 0) return true;
  const first = sharers.find((candidate) =>
    pickService(read, context, namespace, candidate)?.addresses.includes(address) === true
  );
  return first === host;
}

/**
 * The single addresses and ranges of a service: its own, or, having none, those that its host is
 * given, of the proxy's families.
 *
 * @param given whether the proxy uses such addresses
 */
export function addressesOf(
  read: Read,
  { mesh }: MeshContext,
  service: Service,
  { given, family }: { readonly given: boolean; readonly family: Family },
): readonly string[] {
  if (service.addresses.length > 0 || !given) return service.addresses;
  return read.get(mesh.givenAddresses, service.host)
    .filter((address) => isOfFamily(family, address));
}

/**
 * The addresses at which a host has TCP listeners of its own: its single ones, or, headless, those
 * of its instances; of the proxy's families.
 */
export function listenedAddresses(
  read: Read,
  context: MeshContext,
  { namespace, service, port }: {
    readonly namespace: string;
    readonly service: Service;
    readonly port: number;
  },
  given: Parameters<typeof addressesOf>[3],
): readonly string[] {
  if (service.headless === true) {
    return instancesOf(read, context, namespace, service, port)
      .filter((address) => isOfFamily(given.family, address));
  }
  return addressesOf(read, context, service, given).filter((address) =>
    !isRange(address) && isOfFamily(given.family, address) &&
    ownsAddress(read, context, namespace, address, service.host)
  );
}

/** Addresses of a headless service's instances. Of several such services that one instance serves the first by name has it. */
function instancesOf(
  read: Read,
  context: MeshContext,
  namespace: string,
  service: Service,
  port: number,
): string[] {
  const { mesh } = context;
  const addresses = (of: Service): string[] =>
    read.get(mesh.services.endpoints, of).map((e) => e.address).filter(isIp);
  const before = read.members(mesh.indexes.headlessHosts, port)
    .filter((host) => host < service.host)
    .flatMap((host) => pickService(read, context, namespace, host) ?? [])
    .filter((other) => other.headless === true);
  const taken = new Set(before.flatMap(addresses));
  return [...new Set(addresses(service))].filter((address) =>
    !taken.has(address) && !read.any(mesh.indexes.hostsByVip, address)
  );
}

/** Whether a host may have TCP listeners of its own; see {@link listenedAddresses}. */
export function hasOwnListeners(
  read: Read,
  context: MeshContext,
  service: Service,
  given: Parameters<typeof addressesOf>[3],
): boolean {
  return service.headless === true ||
    addressesOf(read, context, service, given).some((address) => !isRange(address));
}
