/**
 * Authorities (`Host` headers) of a host.
 *
 * @module
 */
import { isIp } from "../../../kit/text/mod.ts";

/** A host at a port, as seen from a proxy. */
export interface DomainOptions {
  /** Full host name, or a pattern: `*.suffix`, `*`. */
  readonly host: string;
  readonly port: number;
  /** DNS suffix of the proxy's namespace, for example `default.svc.cluster.local`; unset: no short names. */
  readonly proxyDomain?: string | undefined;
  /** Other full names of the host. */
  readonly aliases?: readonly string[] | undefined;
  /** Virtual addresses; `10.0.0.1/32` is an address, larger ranges are ignored. */
  readonly addresses?: readonly string[] | undefined;
  /**
   * Adds `name:port` for each name (default). Not needed if the route configuration ignores ports.
   */
  readonly withPort?: boolean | undefined;
  /** True: full names are accepted with a dot at their end too, as resolvers write them. Default: true. */
  readonly absolute?: boolean | undefined;
  /** True: the names of instances, one label below each name of the host, are its names too. */
  readonly instances?: boolean | undefined;
  /**
   * Reports if the host may have a short name, a name with a dot at its end, or a pattern of the names of
   * instances: false if that is the full name of another host.
   * Default: always.
   */
  claims?(shortName: string): boolean;
}

/**
 * Returns the domains of a host in lower case, without duplicates, the full name first. Patterns
 * have no short names; `*` has no form with a port, because it matches every port.
 */
export function domainsFor(options: DomainOptions): string[] {
  const { host, port, proxyDomain = "", aliases = [], addresses = [], withPort = true } = options;
  const { absolute = true } = options;
  const domains = new Set<string>();
  const add = (name: string): void => {
    const text = authority(name.toLowerCase());
    domains.add(text);
    if (withPort && name !== "*") domains.add(`${text}:${port}`);
  };
  const claims = (name: string): boolean => options.claims?.(name) ?? true;
  const addNames = (name: string, end = ""): void => {
    add(`${name}${end}`);
    const below = `*.${name}`;
    if (options.instances === true && !isPattern(name) && claims(below)) add(`${below}${end}`);
  };
  for (const name of [host, ...aliases].map((one) => one.toLowerCase())) {
    addNames(name);
    if (absolute && isName(name) && claims(`${name}.`)) addNames(name, ".");
    for (const short of shortNames(name, proxyDomain.toLowerCase())) {
      if (claims(short)) addNames(short);
    }
  }
  for (const address of addresses) {
    const single = singleAddress(address);
    if (single !== undefined) add(single);
  }
  return [...domains];
}

/** Returns `host:port`; an IPv6 address is bracketed. */
export function hostPort(host: string, port: number): string {
  return `${authority(host)}:${port}`;
}

/**
 * Returns the short names that reach a full name from a proxy's DNS domain by its search path,
 * shortest first. With `ns.svc.cluster.local`: `a.ns.svc.cluster.local` → `a`, `a.ns`, `a.ns.svc`;
 * `a.other.svc.cluster.local` → `a.other`, `a.other.svc`; anything else → none. `svc.cluster.local`
 * is not the domain of a namespace, so nothing is `a` there. Domains that are not a namespace's,
 * such as `local.campus.net`, shorten names by the labels that they share from the right.
 */
export function shortNames(host: string, proxyDomain: string): string[] {
  if (isPattern(host) || proxyDomain === "") return [];
  const domain = `.${proxyDomain}`;
  const svc = domain.indexOf(".svc.");
  return svc >= 0
    ? namespacedNames(host, domain.slice(1, svc), domain.slice(svc))
    : sharedSuffixNames(host.split("."), proxyDomain.split("."));
}

/** @param suffix with the leading dot, for example `.svc.cluster.local` */
function namespacedNames(host: string, namespace: string, suffix: string): string[] {
  if (!host.endsWith(suffix)) return [];
  const qualified = host.slice(0, -suffix.length);
  const dot = qualified.indexOf(".");
  if (dot <= 0) return [];
  const own = qualified.slice(dot + 1) === namespace;
  return [...(own ? [qualified.slice(0, dot)] : []), qualified, `${qualified}.svc`];
}

function sharedSuffixNames(host: readonly string[], domain: readonly string[]): string[] {
  let shared = 0;
  while (
    shared < Math.min(host.length, domain.length) && host.at(-1 - shared) === domain.at(-1 - shared)
  ) shared++;
  if (shared === 0 || shared === host.length) return [];
  const unique = host.slice(0, host.length - shared);
  const names = [unique.join(".")];
  // Two labels: the second one is a namespace, so the next label of the suffix may follow.
  if (unique.length === 2 && shared > 1) names.push([...unique, host[unique.length]].join("."));
  return names;
}

/** Returns a single address; `undefined` for ranges and for unspecified addresses. */
function singleAddress(address: string): string | undefined {
  const [ip = "", bits] = address.split("/");
  const whole = ip.includes(":") ? "128" : "32";
  if (ip === "" || ip === "0.0.0.0" || ip === "::") return undefined;
  return bits === undefined || bits === whole ? ip : undefined;
}

/** True for a name of several labels or a pattern of such names: no address or single label. */
function isName(host: string): boolean {
  return host.includes(".") && !host.endsWith(".") && !isIp(host);
}

function isPattern(host: string): boolean {
  return host.startsWith("*");
}

function authority(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
