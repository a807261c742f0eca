/**
 * What the tables of translation share.
 *
 * @module
 */
import { isRange, lookUp, type Mesh, type Tell } from "../derive/mod.ts";
import type { Derived, Read } from "../graph/mod.ts";
import { isIp } from "../text/mod.ts";
import type { ProxyClass, Service } from "../model/mod.ts";
import type { Guards } from "./guards.ts";
import type { SignalTable } from "./signals.ts";
import type { Features } from "./features.ts";
import type { ReadShared } from "./proxy_settings.ts";

/** The mesh, the switches, and the classes in use. */
export interface Context {
  readonly mesh: Mesh;
  readonly features: Features;
  /** Id of the cluster that endpoints of files belong to. */
  readonly clusterId: string;
  /** Key of a class → the class. */
  readonly classes: Derived<ProxyClass>;
  /** What guards workloads. */
  readonly guards: Guards;
  /** What the configuration of proxies says of clusters and routes. */
  readonly settings: ReadShared;
  /** What is logged, counted and traced; see `telemetryKey`. */
  readonly signals: SignalTable;
}

/** What lookups need: the mesh. */
export interface MeshContext {
  readonly mesh: Mesh;
}

/** Address families of a proxy, as a key part. */
export type Family = "v4" | "v6" | "dual";

/** Whether a proxy of a family may be asked to listen at an address: it may have no socket of the other. */
export function isOfFamily(family: Family, address: string): boolean {
  return family === "dual" || (family === "v6") === address.includes(":");
}

/** The families of a class; one without addresses counts as IPv4. */
export function familyOf(cls: { readonly ipv4: boolean; readonly ipv6: boolean }): Family {
  if (cls.ipv6) return cls.ipv4 ? "dual" : "v6";
  return "v4";
}

/** What a host means to the proxies of a namespace: the service, and the rules that apply to it. */
export interface Pick {
  /** `namespace/host`. */
  readonly service: string;
  /** As `Policies.ruleKey`. */
  readonly rules: string;
}

/** Looks a host up as a namespace sees it (`""`: as everybody does). */
export function pick(
  read: Read,
  { mesh }: MeshContext,
  namespace: string,
  host: string,
  tell?: Tell,
): Pick | undefined {
  const service = lookUp(read, mesh.services.resolve, `${namespace}|${host}`, tell);
  if (service === undefined) return undefined;
  const owner = service.slice(0, service.indexOf("/"));
  const rules = lookUp(read, mesh.policies.ruleKey, `${namespace}|${owner}|${host}`, tell);
  return { service, rules };
}

/** Whom something is for: the proxies of a namespace, or those of them that rules select. */
export interface Caller {
  readonly namespace: string;
  /** Keys of the DestinationRules that select the workload by labels, oldest first. */
  readonly rules?: readonly string[];
}

/** As {@link pick}, but rules for the workload go before all others. */
export function pickFor(
  read: Read,
  context: MeshContext,
  { namespace, rules = [] }: Caller,
  host: string,
  tell?: Tell,
): Pick | undefined {
  const chosen = pick(read, context, namespace, host, tell);
  if (chosen === undefined || rules.length === 0) return chosen;
  const own = context.mesh.policies.selected(read, host, rules, tell);
  return own === "" ? chosen : { ...chosen, rules: own };
}

/** The service that a host means to the proxies of a namespace. */
export function pickService(
  read: Read,
  { mesh }: MeshContext,
  namespace: string,
  host: string,
  tell?: Tell,
): Service | undefined {
  const key = lookUp(read, mesh.services.resolve, `${namespace}|${host}`, tell);
  return key === undefined ? undefined : lookUp(read, mesh.services.service, key, tell);
}

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
  const addresses = (key: string): string[] =>
    read.get(mesh.services.endpoints, key).map((e) => e.address).filter(isIp);
  const before = read.members(mesh.indexes.headlessHosts, `${port}`)
    .filter((host) => host < service.host)
    .flatMap((host) => pickService(read, context, namespace, host) ?? [])
    .filter((other) => other.headless === true);
  const taken = new Set(before.flatMap((other) => addresses(other.key)));
  return [...new Set(addresses(service.key))].filter((address) =>
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

/** Splits a key of parts joined by `|`; the last part takes what is left. */
export function splitKey(key: string, parts: number): string[] {
  const out: string[] = [];
  let from = 0;
  for (let i = 1; i < parts; i++) {
    const bar = key.indexOf("|", from);
    out.push(key.slice(from, bar));
    from = bar + 1;
  }
  out.push(key.slice(from));
  return out;
}
