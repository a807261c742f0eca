/**
 * Which DestinationRule applies to a host, seen from a namespace.
 *
 * @module
 */
import type { Derived, Graph, Read } from "../graph/mod.ts";
import type { ConfigObject } from "../model/mod.ts";
import { objectKey } from "../model/mod.ts";
import type {
  DestinationRule,
  Subset,
  TrafficPolicy,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { coveringPatterns } from "./hosts.ts";
import { byAge } from "./services.ts";
import type { Indexes } from "./indexes.ts";
import type { Tables } from "./tables.ts";
import { visibilityOf, visibleTo } from "./visibility.ts";

/** The rules that apply to a host, merged. */
export interface Policy {
  /** Keys of the rules, in the order of precedence. */
  readonly rules: readonly string[];
  /** From the first rule that has one. */
  readonly trafficPolicy: TrafficPolicy | undefined;
  /** Of all rules; of two with one name the first counts. */
  readonly subsets: readonly Subset[];
}

/** The derived tables about policies. */
export interface Policies {
  /**
   * `NS|serviceNS|host` → keys of the rules that win, joined by a comma; `""`
   * for none. The rules of the client's namespace come first, then those of the
   * service's, then those of the root namespace; within each the most specific
   * host wins. A plain string, so that it can be part of a content key.
   */
  readonly ruleKey: Derived<string>;
  /** A value of {@link ruleKey} → the merged policy. */
  readonly policy: Derived<Policy>;
}

/** Creates the tables. `rootNamespace` reads the mesh's root namespace. */
export function derivePolicies(
  graph: Graph,
  tables: Tables,
  indexes: Indexes,
  rootNamespace: (read: Read) => string,
): Policies {
  const ruleKey = graph.derive<string>("policy.ruleKey", (read, key) => {
    const [client = "", owner = "", host = ""] = key.split("|");
    const patterns = [host, ...coveringPatterns(host)];
    const places = [...new Set([client, owner, rootNamespace(read)])].filter((ns) => ns !== "");
    for (const place of places) {
      for (const pattern of patterns) {
        const rows = rulesFor(read, tables, indexes, pattern, place, client);
        if (rows.length > 0) return rows.map((r) => objectKey(r.meta)).join(",");
      }
    }
    return "";
  });
  const policy = graph.derive<Policy>("policy", (read, key) => {
    const rules = key === "" ? [] : key.split(",");
    const rows = rules
      .map((rule) => read.get(tables.destinationRules, rule))
      .filter((row) => row !== undefined);
    return { rules, trafficPolicy: firstPolicy(rows), subsets: mergeSubsets(rows) };
  }, { equal: samePolicy });
  return { ruleKey, policy };
}

/** The rules of one namespace for one host or pattern that a client namespace may see, oldest first. */
function rulesFor(
  read: Read,
  tables: Tables,
  indexes: Indexes,
  pattern: string,
  place: string,
  client: string,
): ConfigObject<DestinationRule>[] {
  const rows: ConfigObject<DestinationRule>[] = [];
  for (const key of read.members(indexes.rulesByHost, pattern)) {
    if (!key.startsWith(place + "/")) continue;
    const row = read.get(tables.destinationRules, key);
    if (row === undefined) continue;
    const own = place === client;
    if (own || visibleTo(visibilityOf(row.spec.exportTo, row.meta.namespace), client)) {
      rows.push(row);
    }
  }
  return rows.sort(byAge);
}

function firstPolicy(rows: readonly ConfigObject<DestinationRule>[]): TrafficPolicy | undefined {
  return rows.find((r) => r.spec.trafficPolicy !== undefined)?.spec.trafficPolicy;
}

function mergeSubsets(rows: readonly ConfigObject<DestinationRule>[]): Subset[] {
  const byName = new Map<string, Subset>();
  for (const row of rows) {
    for (const subset of row.spec.subsets) {
      if (!byName.has(subset.name)) byName.set(subset.name, subset);
    }
  }
  return [...byName.values()];
}

/** Messages of unchanged rows are the same objects, so identity is enough. */
function samePolicy(a: Policy, b: Policy): boolean {
  return a.trafficPolicy === b.trafficPolicy && a.subsets.length === b.subsets.length &&
    a.subsets.every((s, i) => s === b.subsets[i]) && a.rules.join() === b.rules.join();
}
