/**
 * What a proxy may reach: everything its namespace sees, or what its Sidecar
 * resource lets it see.
 *
 * @module
 */
import type { Derived, Graph, Read } from "../graph/mod.ts";
import type { ConfigObject } from "../model/mod.ts";
import { objectKey } from "../model/mod.ts";
import type { Sidecar } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { canonicalJson } from "../base/mod.ts";
import { covers, isWildcard } from "./hosts.ts";
import type { Routes } from "./routes.ts";
import { byAge, hasLabels, type Services } from "./services.ts";
import type { Indexes } from "./indexes.ts";
import { selectsConnections, selectsLabels } from "./route_names.ts";
import { addDestinations, addEgressProxy } from "./scope_imports.ts";
import type { Tables } from "./tables.ts";
import { deriveTelling, fromObject, lookUp, type Tell, whyLater } from "./tell.ts";

/** The derived tables about scopes. */
export interface Scopes {
  /**
   * NS → hosts for which that namespace may see something else than everybody:
   * what its own and privately exported ServiceEntries, DestinationRules and
   * VirtualServices name, what is named as a service of it, and what is routed to
   * any of those. Sorted.
   */
  readonly overlayHosts: Derived<readonly string[]>;
  /**
   * `""` → hosts without a service that VirtualServices name for everybody; NS →
   * those that the namespace may see otherwise. Sorted.
   */
  readonly routeHosts: Derived<readonly string[]>;
  /** NS → hosts whose HTTP rules are for callers of certain labels, as the namespace sees them. Sorted. */
  readonly labelledHosts: Derived<readonly string[]>;
  /** NS → hosts whose TCP or TLS rules are for callers of certain labels, as the namespace sees them. Sorted. */
  readonly labelledConnections: Derived<readonly string[]>;
  /** `NS|labels` (see {@link labelsKey}) → key of the Sidecar that applies to a workload; `""` for none. */
  readonly sidecar: Derived<string>;
  /**
   * `NS|sidecar|listener` → hosts that an egress listener imports, by its
   * position; with `*` as listener those of all of them, with the destinations
   * of their VirtualServices. Sorted.
   */
  readonly egressHosts: Derived<readonly string[]>;
  /** `NS|sidecar|listener` → hosts without a service that an egress listener imports VirtualServices of. Sorted. */
  readonly egressRouteHosts: Derived<readonly string[]>;
}

/** Creates the tables. `domain` is the mesh's DNS suffix. */
export function deriveScopes(
  graph: Graph,
  tables: Tables,
  indexes: Indexes,
  services: Services,
  routes: Routes,
  domain: string,
): Scopes {
  const overlayHosts = graph.derive<readonly string[]>("scope.overlayHosts", (read, namespace) => {
    const hosts = new Set(read.members(indexes.hostsSeenBy, namespace));
    addNamed(read, indexes, hosts, read.members(indexes.ruleHostsSeenBy, namespace));
    // Hosts that are named as services of the namespace have one short name more there.
    addNamed(read, indexes, hosts, [`*.${namespace}.svc.${domain}`]);
    addNamed(read, indexes, hosts, read.members(indexes.meshRouteHostsSeenBy, namespace));
    for (const host of [...hosts]) addSharers(read, services, indexes, namespace, host, hosts);
    // What means something else here means so as a destination too.
    for (const host of [...hosts]) {
      addNamed(read, indexes, hosts, read.members(indexes.routeHostsByDestination, host));
    }
    // Rules of other VirtualServices and for certain callers: what they lead to is compared as a whole.
    addNamed(read, indexes, hosts, read.members(indexes.particularRouteHosts, "all"));
    return [...hosts].sort();
  });
  const routeHosts: Derived<readonly string[]> = graph.derive<readonly string[]>(
    "scope.routeHosts",
    (read, namespace) => {
      const seen = new Set(read.members(indexes.meshRouteHostsSeenBy, namespace));
      if (namespace !== "") {
        const suffix = `.${namespace}.svc.${domain}`;
        for (const h of read.get(routeHosts, "")) if (h.endsWith(suffix)) seen.add(h);
      }
      return [...seen].sort()
        .filter((host) => read.get(services.resolve, `${namespace}|${host}`) === undefined);
    },
  );
  const labelledHosts = graph.derive<readonly string[]>(
    "scope.labelledHosts",
    (read, namespace) => {
      const hosts = new Set<string>();
      addNamed(read, indexes, hosts, read.members(indexes.labelledRouteHosts, "all"));
      return [...hosts].sort().filter((host) => {
        const spec = read.get(routes.spec, read.get(routes.meshRoute, `${namespace}|${host}`));
        return spec !== undefined && selectsLabels(spec);
      });
    },
  );
  const labelledConnections = graph.derive<readonly string[]>(
    "scope.labelledConnections",
    (read, namespace) => {
      const hosts = new Set<string>();
      addNamed(read, indexes, hosts, read.members(indexes.labelledConnectionHosts, "all"));
      return [...hosts].sort().filter((host) => {
        const key = read.get(routes.meshRoute, `${namespace}|${host}`);
        const row = key === "" ? undefined : read.get(tables.virtualServices, key);
        return row !== undefined && selectsConnections(row.spec);
      });
    },
  );
  const sidecar = deriveTelling<string>(graph, "scope.sidecar", (read, key, tell) => {
    const bar = key.indexOf("|");
    const labels = parseLabels(key.slice(bar + 1));
    return selectSidecar(read, tables, indexes, key.slice(0, bar), labels, tell);
  });
  const egressHosts: Derived<readonly string[]> = deriveTelling<readonly string[]>(
    graph,
    "scope.egressHosts",
    (read, key, tell) => {
      const [namespace = "", name = "", listener = ""] = key.split("|");
      const row = read.get(tables.sidecars, name);
      if (row === undefined) return [];
      if (listener !== "*") {
        const patterns = row.spec.egress[Number(listener)]?.hosts ?? [];
        const hears = tell && ((host: string, pattern: number): void =>
          tell({
            of: [host],
            group: "import",
            ...fromObject(row, `spec.egress[${listener}].hosts[${pattern}]`),
            value: patterns[pattern],
          }));
        return importHosts(read, indexes, services, namespace, row, patterns, hears);
      }
      const all = new Set<string>();
      row.spec.egress.forEach((_, i) => {
        for (const h of lookUp(read, egressHosts, `${namespace}|${name}|${i}`, tell)) all.add(h);
      });
      addEgressProxy(read, services, namespace, row, domain, all, tell);
      for (const host of [...all]) {
        addDestinations(read, tables, services, routes, namespace, host, domain, all, tell);
      }
      return [...all].sort();
    },
  );
  const egressRouteHosts = graph.derive<readonly string[]>("scope.egressRoutes", (read, key) => {
    const [namespace = "", name = "", listener = ""] = key.split("|");
    const row = read.get(tables.sidecars, name);
    const patterns = row?.spec.egress[Number(listener)]?.hosts ?? [];
    const hosts = new Set([...read.get(routeHosts, ""), ...read.get(routeHosts, namespace)]);
    return [...hosts].sort().filter((host) => {
      if (read.get(services.resolve, `${namespace}|${host}`) !== undefined) return false;
      const owner = read.get(routes.meshRoute, `${namespace}|${host}`).split("/")[0] ?? "";
      return patterns.some((p) => importsFrom(p, owner, host, row?.meta.namespace ?? ""));
    });
  });
  return {
    overlayHosts,
    routeHosts,
    labelledHosts,
    labelledConnections,
    sidecar,
    egressHosts,
    egressRouteHosts,
  };
}

/** Whether an egress pattern of a Sidecar imports a host from a namespace. */
function importsFrom(pattern: string, owner: string, host: string, own: string): boolean {
  const { place, wanted } = splitPattern(pattern, own);
  return place !== "~" && (place === "*" || place === owner) && covers(wanted, host);
}

/** Splits `namespace/host`; without a namespace any is meant, and `.` is the Sidecar's own. */
function splitPattern(pattern: string, own: string): { place: string; wanted: string } {
  const slash = pattern.indexOf("/");
  const place = slash < 0 ? "*" : pattern.slice(0, slash);
  return { place: place === "." ? own : place, wanted: pattern.slice(slash + 1).toLowerCase() };
}

/** Adds the hosts that names and patterns stand for. */
function addNamed(
  read: Read,
  indexes: Indexes,
  hosts: Set<string>,
  named: readonly string[],
): void {
  for (const name of named) {
    hosts.add(name);
    if (!isWildcard(name)) continue;
    for (const host of read.members(indexes.hostsByPattern, name)) hosts.add(host);
  }
}

/**
 * Of hosts with one virtual address the first by name has it: where a host means
 * something else, another one may win or lose the address.
 */
function addSharers(
  read: Read,
  services: Services,
  indexes: Indexes,
  namespace: string,
  host: string,
  hosts: Set<string>,
): void {
  for (const seenBy of [namespace, ""]) {
    const key = read.get(services.resolve, `${seenBy}|${host}`);
    const service = key === undefined ? undefined : read.get(services.service, key);
    for (const address of service?.addresses ?? []) {
      for (const sharer of read.members(indexes.hostsByVip, address)) hosts.add(sharer);
    }
    // So have headless ones with their instances.
    for (const { number } of service?.headless === true ? service.ports : []) {
      for (const sharer of read.members(indexes.headlessHosts, `${number}`)) hosts.add(sharer);
    }
  }
}

/** The key part that stands for workload labels: canonical JSON, so that no value can be mistaken for a separator. */
export function labelsKey(labels: Readonly<Record<string, string>>): string {
  return canonicalJson(labels);
}

/** The labels of a key made by {@link labelsKey}. */
export function parseLabels(key: string): Record<string, string> {
  return JSON.parse(key);
}

/**
 * The Sidecar of a workload: the oldest of its namespace whose selector matches,
 * else the oldest one without a selector.
 */
function selectSidecar(
  read: Read,
  tables: Tables,
  indexes: Indexes,
  namespace: string,
  labels: Readonly<Record<string, string>>,
  tell: Tell | undefined,
): string {
  const rows = read.members(indexes.sidecarsByNamespace, namespace)
    .map((key) => read.get(tables.sidecars, key))
    .filter((row) => row !== undefined)
    .sort(byAge);
  const selecting = (row: ConfigObject<Sidecar>): boolean =>
    Object.keys(row.spec.workloadSelector?.labels ?? {}).length > 0;
  const chosen =
    rows.find((row) =>
      selecting(row) && hasLabels(labels, row.spec.workloadSelector?.labels ?? {})
    ) ?? rows.find((row) => !selecting(row));
  if (chosen !== undefined && tell !== undefined) {
    const why = (row: ConfigObject<Sidecar>): string =>
      selecting(row) && !hasLabels(labels, row.spec.workloadSelector?.labels ?? {})
        ? "it selects other workloads"
        : selecting(chosen) && !selecting(row)
        ? "one that selects the workload goes before one for all"
        : whyLater(row, chosen);
    tell({
      group: "sidecar",
      ...fromObject(chosen, "spec.workloadSelector"),
      passedOver: rows.filter((row) => row !== chosen)
        .map((row) => ({ ...fromObject(row, "spec.workloadSelector"), why: why(row) })),
    });
  }
  return chosen === undefined ? "" : objectKey(chosen.meta);
}

/**
 * The hosts that patterns of the form `namespace/host` import: the namespace is a
 * name, `*` (all), `.` (the Sidecar's own) or `~` (none); the host a name or a
 * wildcard.
 */
function importHosts(
  read: Read,
  indexes: Indexes,
  services: Services,
  namespace: string,
  sidecar: ConfigObject<Sidecar>,
  patterns: readonly string[],
  hears?: (host: string, pattern: number) => void,
): string[] {
  const found = new Set<string>();
  for (const [i, pattern] of patterns.entries()) {
    const { place: owner, wanted } = splitPattern(pattern, sidecar.meta.namespace);
    if (owner === "~") continue;
    const candidates = isWildcard(wanted)
      ? [wanted, ...read.members(indexes.hostsByNamespace, owner)]
      : [wanted];
    for (const host of candidates) {
      if (!covers(wanted, host)) continue;
      const service = read.get(services.resolve, `${namespace}|${host}`);
      if (service === undefined) continue;
      if (owner !== "*" && !service.startsWith(owner + "/")) continue;
      found.add(host);
      hears?.(host, i);
    }
  }
  return [...found].sort();
}
