/**
 * Under which authorities (`Host` headers) a host is asked for.
 *
 * @module
 */

/** A host at a port, and from where it is seen. */
export interface DomainOptions {
  /** Full name, or a pattern: `*.suffix`, `*`. */
  readonly host: string;
  readonly port: number;
  /** DNS suffix of the proxy's namespace, for example `default.svc.cluster.local`; unset: no short names. */
  readonly proxyDomain?: string | undefined;
  /** Other full names of the host. */
  readonly aliases?: readonly string[] | undefined;
  /** Virtual addresses; `10.0.0.1/32` counts as the address, wider ranges are no authorities. */
  readonly addresses?: readonly string[] | undefined;
  /** Also `name:port` for each name (default). Needless where the route configuration ignores ports. */
  readonly withPort?: boolean | undefined;
  /** Whether the host may have a short name: false for one that is the full name of another host. Default: always. */
  claims?(shortName: string): boolean;
}

/**
 * The domains of a host, lower case, without repetition, the full name first.
 * Patterns have no short names; `*` has no form with a port, for it covers all of them.
 */
export function domainsFor(options: DomainOptions): string[] {
  const { host, port, proxyDomain = "", aliases = [], addresses = [], withPort = true } = options;
  const domains = new Set<string>();
  const add = (name: string): void => {
    const text = authority(name.toLowerCase());
    domains.add(text);
    if (withPort && name !== "*") domains.add(`${text}:${port}`);
  };
  for (const name of [host, ...aliases]) {
    add(name);
    for (const short of shortNames(name.toLowerCase(), proxyDomain.toLowerCase())) {
      if (options.claims?.(short) ?? true) add(short);
    }
  }
  for (const address of addresses) {
    const single = singleAddress(address);
    if (single !== undefined) add(single);
  }
  return [...domains];
}

/** The text of `host:port`; an IPv6 address is bracketed. */
export function hostPort(host: string, port: number): string {
  return `${authority(host)}:${port}`;
}

/**
 * The short names that reach a full name from a proxy's DNS domain by its search
 * path, shortest first. With `ns.svc.cluster.local`:
 * `a.ns.svc.cluster.local` → `a`, `a.ns`, `a.ns.svc`;
 * `a.other.svc.cluster.local` → `a.other`, `a.other.svc`; anything else → none.
 * `svc.cluster.local` is the domain of no namespace, from where nothing is `a`.
 * Domains that are no namespace's, such as `local.campus.net`, shorten names by the
 * labels they share from the right.
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
  // Two labels: the second stands for a namespace, so the next one of the suffix may follow too.
  if (unique.length === 2 && shared > 1) names.push([...unique, host[unique.length]].join("."));
  return names;
}

/** An address alone; `undefined` for ranges and for the addresses that mean "any". */
function singleAddress(address: string): string | undefined {
  const [ip = "", bits] = address.split("/");
  const whole = ip.includes(":") ? "128" : "32";
  if (ip === "" || ip === "0.0.0.0" || ip === "::") return undefined;
  return bits === undefined || bits === whole ? ip : undefined;
}

function isPattern(host: string): boolean {
  return host.startsWith("*");
}

function authority(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
