/**
 * What the tables of translation share.
 *
 * @module
 */
import { lookUp, type Mesh, type Tell } from "../derive/mod.ts";
import type { Derived, Read } from "../graph/mod.ts";
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

/** Address families of a proxy, as a key part. */
export type Family = "v4" | "v6" | "dual";

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
  { mesh }: Context,
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

/** The service that a host means to the proxies of a namespace. */
export function pickService(
  read: Read,
  { mesh }: Context,
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
  context: Context,
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
  { mesh }: Context,
  service: Service,
  { given, family }: { readonly given: boolean; readonly family: Family },
): readonly string[] {
  if (service.addresses.length > 0 || !given) return service.addresses;
  return read.get(mesh.givenAddresses, service.host)
    .filter((address) => family === "dual" || (family === "v6") === address.includes(":"));
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
