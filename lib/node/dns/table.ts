/**
 * Names and their addresses, as looked up by queries. Pure.
 *
 * @module
 */
import { fromBinary, toJson, typeUrl } from "../../kit/proto/mod.ts";
import { canonicalIp, isIpv4, isIpv6 } from "../../kit/text/mod.ts";
import { type NameTable, NameTableSchema } from "#mesh/networking/nds/v1/nds_pb.ts";

/** Type of the name table in xDS. */
export const NAME_TABLE_URL: string = typeUrl(NameTableSchema);

/** An encoded name table as JSON. */
export function nameTableJson(bytes: Uint8Array): string {
  return JSON.stringify(toJson(NameTableSchema, fromBinary(NameTableSchema, bytes)), null, 2);
}

/** The proxy that names are looked up for. */
export interface DnsScope {
  readonly namespace: string;
  /** Its DNS suffix, for example `shop.svc.cluster.local`. */
  readonly domain: string;
  /** Search domains of resolv.conf. */
  readonly search: readonly string[];
}

/** Addresses of a name. */
export interface Found {
  /** The host that the name stands for, if it was found below a search domain. */
  readonly alias?: string;
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
}

/** A table that queries are answered from. */
export interface Names {
  /** Number of names. */
  readonly size: number;
  /** @param name lower case, without the final dot */
  find(name: string): Found | undefined;
}

/** Makes the table from the encoded message of the daemon. */
export function namesOf(bytes: Uint8Array, scope: DnsScope): Names {
  return indexNames(fromBinary(NameTableSchema, bytes), scope);
}

/** Makes the table. Hosts win over the short names of other hosts. */
export function indexNames({ table }: NameTable, scope: DnsScope): Names {
  const exact = new Map<string, Found>();
  const short = new Map<string, Found>();
  for (const [host, info] of Object.entries(table)) {
    const ips = info.ips.map(canonicalIp);
    const found: Found = { ipv4: ips.filter(isIpv4), ipv6: ips.filter(isIpv6) };
    exact.set(nameOf(host), found);
    const { shortname, namespace } = info;
    for (const name of [...info.altHosts, ...shortNames(shortname, namespace, scope)]) {
      short.set(nameOf(name), found);
    }
  }
  const names = new Map([...short, ...exact]);
  const search = scope.search.map(nameOf).filter((domain) => domain !== "");
  return {
    size: names.size,
    find: (name) => findHost(names, name) ?? findBelow(names, name, search),
  };
}

function nameOf(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

/** `name.namespace` and `name.namespace.svc`, and for the pod's namespace `name`. */
function shortNames(name: string, namespace: string, scope: DnsScope): readonly string[] {
  if (name === "" || namespace === "" || !scope.domain.includes(".svc.")) return [];
  const full = `${name}.${namespace}`;
  return [full, `${full}.svc`, ...namespace === scope.namespace ? [name] : []];
}

/** A host, or the wildcard with the longest name. */
function findHost(names: ReadonlyMap<string, Found>, name: string): Found | undefined {
  const exact = names.get(name);
  if (exact !== undefined) return exact;
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) {
    const found = names.get(`*${name.slice(dot)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * A host below a search domain. Resolvers append search domains to names with few dots before they
 * try the name itself; the answer is an alias for the name.
 */
function findBelow(
  names: ReadonlyMap<string, Found>,
  name: string,
  search: readonly string[],
): Found | undefined {
  for (const domain of search) {
    if (!name.endsWith(`.${domain}`)) continue;
    const alias = name.slice(0, -domain.length - 1);
    const found = findHost(names, alias);
    if (found !== undefined) return { ...found, alias };
  }
  return undefined;
}
