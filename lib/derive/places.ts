/**
 * Where proxies stand, and for which hosts that makes a difference: rules of
 * failover and of shares between localities, endpoints of other networks, rules for
 * workloads of certain labels.
 *
 * @module
 */
import { canonicalJson } from "../base/mod.ts";
import type { Derived, Graph, Read } from "../graph/mod.ts";
import { objectKey, type ProxyClass, type ProxyLocality } from "../model/mod.ts";
import { covers, fullHost, isWildcard } from "./hosts.ts";
import type { Indexes } from "./indexes.ts";
import type { MeshField } from "./mesh.ts";
import type { Networks } from "./networks.ts";
import type { Scopes } from "./scopes.ts";
import { byAge, hasLabels, type Services } from "./services.ts";
import type { Tables } from "./tables.ts";
import { failoverLabels, topologyLabels } from "./topology.ts";

/** The derived tables about places. */
export interface Places {
  /** The place of a class as a key, see {@link parsePlace}; `""`: nothing depends on where it is. */
  readonly placeOf: (read: Read, cls: PlacedClass) => string;
  /** `NS|sidecar|place` → hosts for which the place may make a difference. Sorted. */
  readonly hosts: Derived<readonly string[]>;
  /**
   * The same, those alone whose clusters differ: which rules for the workload name,
   * and which proxies resolve, so that their endpoints are within their clusters.
   */
  readonly clusterHosts: Derived<readonly string[]>;
  /** Keys of rules, joined by commas → hosts that they name, those that their patterns cover among them. Sorted. */
  readonly ruledHosts: Derived<readonly string[]>;
}

/** What a place is made from. */
export type PlacedClass = Pick<
  ProxyClass,
  "namespace" | "labels" | "locality" | "network" | "networkView"
>;

/** Reads a place's key back. */
export function parsePlace(key: string): ProxyLocality {
  return JSON.parse(key);
}

/** Creates the tables. */
export function derivePlaces(
  graph: Graph,
  { tables, indexes, services, scopes, networks, field, domain }: {
    readonly tables: Tables;
    readonly indexes: Indexes;
    readonly services: Services;
    readonly scopes: Scopes;
    readonly networks: Networks;
    readonly field: MeshField;
    readonly domain: string;
  },
): Places {
  const meshSetting = (read: Read) => {
    const setting = field(read, "localityLbSetting");
    return setting?.enabled === false ? undefined : setting;
  };
  const labelKeys = graph.derive<readonly string[]>("place.labels", (read) =>
    [
      ...new Set([
        ...read.members(indexes.failoverLabels, "all"),
        ...failoverLabels(meshSetting(read)),
      ]),
    ].sort());
  const visible = (read: Read, namespace: string, sidecar: string): Iterable<string> =>
    sidecar === ""
      ? new Set([
        ...read.members(indexes.hostsSeenBy, ""),
        ...read.get(scopes.overlayHosts, namespace),
      ])
      : read.get(scopes.egressHosts, `${namespace}|${sidecar}|*`);
  /** Hosts and patterns of the rules that select a place's workloads. */
  const ruledNames = (read: Read, rules: readonly string[]): string[] =>
    rules.flatMap((key) => {
      const row = read.get(tables.destinationRules, key);
      return row === undefined ? [] : [fullHost(row.spec.host, row.meta.namespace, domain)];
    });
  const hosts = graph.derive<readonly string[]>("place.hosts", (read, key) => {
    const { namespace, sidecar, place } = splitPlaced(key);
    const seen = new Set(visible(read, namespace, sidecar));
    const concerned = new Set<string>();
    const named = [
      ...read.members(indexes.localityRuleHosts, "all"),
      ...ruledNames(read, place.rules),
    ];
    if (named.length > 0) addCovered(read, indexes, named, seen, concerned);
    const everywhere = field(read, "defaultTrafficPolicy")?.outlierDetection !== undefined ||
      (meshSetting(read)?.distribute.length ?? 0) > 0;
    if (everywhere) { for (const host of seen) concerned.add(host); }
    else if (place.network !== "" || place.view.length > 0) {
      for (const host of seen) {
        if (concerned.has(host)) continue;
        const service = read.get(services.resolve, `${namespace}|${host}`);
        if (service === undefined) continue;
        const theirs = read.get(networks.ofService, service);
        if (theirs.some((n) => n !== "" && n !== place.network)) concerned.add(host);
      }
    }
    return [...concerned].sort();
  });
  const clusterHosts = graph.derive<readonly string[]>("place.clusterHosts", (read, key) => {
    const { namespace, place } = splitPlaced(key);
    const ruled = ruledNames(read, place.rules);
    return read.get(hosts, key).filter((host) => {
      if (ruled.some((name) => covers(name, host))) return true;
      const service = read.get(services.resolve, `${namespace}|${host}`);
      const resolution = service && read.get(services.service, service)?.resolution;
      return resolution === "DNS" || resolution === "DNS_ROUND_ROBIN";
    });
  });
  const ruledHosts = graph.derive<readonly string[]>("place.ruledHosts", (read, key) => {
    const names = key === "" ? [] : ruledNames(read, key.split(","));
    return [...new Set(names.flatMap((name) => coveredHosts(read, indexes, name)))].sort();
  });
  return {
    hosts,
    clusterHosts,
    ruledHosts,
    placeOf: (read, cls) => {
      const { gateways } = read.get(networks.all, "");
      const network = gateways.size > 0 ? cls.network : "";
      const own = { ...cls.labels, ...topologyLabels(cls.locality, cls.network) };
      const compared = read.get(labelKeys, "");
      const labels = Object.fromEntries(
        compared.flatMap((k) => own[k] === undefined ? [] : [[k, own[k]]]),
      );
      const rules = read.members(indexes.selectingRules, cls.namespace)
        .map((key) => read.get(tables.destinationRules, key))
        .filter((row) => row !== undefined)
        .filter((row) => hasLabels(cls.labels, row.spec.workloadSelector?.matchLabels ?? {}))
        .sort(byAge).map((row) => objectKey(row.meta));
      const place: ProxyLocality = {
        locality: cls.locality,
        labels,
        network,
        view: cls.networkView,
        rules,
      };
      const nowhere = cls.locality.region === "" && network === "" && place.view.length === 0 &&
        compared.length === 0 && rules.length === 0;
      return nowhere ? "" : canonicalJson(place);
    },
  };
}

/** The parts of `NS|sidecar|place`; a place may hold anything, so it stands last. */
function splitPlaced(key: string): { namespace: string; sidecar: string; place: ProxyLocality } {
  const first = key.indexOf("|");
  const second = key.indexOf("|", first + 1);
  return {
    namespace: key.slice(0, first),
    sidecar: key.slice(first + 1, second),
    place: parsePlace(key.slice(second + 1)),
  };
}

/** The hosts that a name or pattern stands for, itself among them. */
export function coveredHosts(read: Read, indexes: Indexes, name: string): string[] {
  return isWildcard(name) ? [name, ...read.members(indexes.hostsByPattern, name)] : [name];
}

/** Adds those of the hosts that names and patterns stand for. */
function addCovered(
  read: Read,
  indexes: Indexes,
  named: readonly string[],
  hosts: ReadonlySet<string>,
  into: Set<string>,
): void {
  for (const name of named) {
    if (hosts.has(name)) into.add(name);
    if (!isWildcard(name)) continue;
    for (const host of read.members(indexes.hostsByPattern, name)) {
      if (hosts.has(host)) into.add(host);
    }
  }
}
