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
import { coveringPatterns, fullHost } from "./hosts.ts";
import { byAge } from "./services.ts";
import type { Indexes } from "./indexes.ts";
import { selectsWorkloads } from "./policy_indexes.ts";
import type { Tables } from "./tables.ts";
import { deriveTelling, fromObject, type PassedOver, type Tell, whyLater } from "./tell.ts";
import { visibilityOf, visibleTo } from "./visibility.ts";

/** The rules that apply to a host, merged. */
export interface Policy {
  /** Keys of the rules, in the order of precedence. */
  readonly rules: readonly string[];
  /** From the first rule that has one. */
  readonly trafficPolicy: TrafficPolicy | undefined;
  /** Key of that rule; `""` for none. */
  readonly trafficPolicyOf: string;
  /** Of all rules; of two with one name the first counts. */
  readonly subsets: readonly Subset[];
  /** Keys of the rules that these are from, in the same order. */
  readonly subsetsOf: readonly string[];
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
  /**
   * Of rules that select a workload (`NS/NAME`, oldest first), those that decide for
   * a host: of the most specific host that names it. They go before all others.
   *
   * @returns as {@link ruleKey}; `""`: none of them does
   */
  readonly selected: (read: Read, host: string, rules: readonly string[], tell?: Tell) => string;
}

/** How rules are looked for and merged. */
export interface PolicyOptions {
  /** Reads the mesh's root namespace. */
  readonly rootNamespace: (read: Read) => string;
  /** Whether rules are merged only where they are exported to the same namespaces. */
  readonly mergeEqualExports: boolean;
  /** The mesh's DNS suffix. */
  readonly domain: string;
}

/** Creates the tables. */
export function derivePolicies(
  graph: Graph,
  tables: Tables,
  indexes: Indexes,
  { rootNamespace, mergeEqualExports, domain }: PolicyOptions,
): Policies {
  const selected: Policies["selected"] = (read, host, rules, tell) => {
    const rows = rules.map((key) => read.get(tables.destinationRules, key))
      .filter((row) => row !== undefined);
    for (const pattern of rows.length === 0 ? [] : [host, ...coveringPatterns(host)]) {
      const [first, ...more] = rows.filter((row) =>
        fullHost(row.spec.host, row.meta.namespace, domain) === pattern
      );
      if (first === undefined) continue;
      tell?.({
        group: "rules",
        ...fromObject(first, "spec.workloadSelector"),
        value: "it selects the workload",
      });
      return [first, ...more].map((row) => objectKey(row.meta)).join(",");
    }
    return "";
  };
  const ruleKey = deriveTelling<string>(graph, "policy.ruleKey", (read, key, tell) => {
    const [client = "", owner = "", host = ""] = key.split("|");
    const places = [...new Set([client, owner, rootNamespace(read)])].filter((ns) => ns !== "");
    const ranks = ranked(read, tables, indexes, { host, client, places });
    const passedOver: PassedOver[] = [];
    for (const rank of ranks) {
      if (tell !== undefined) passedOver.push(...hiddenIn(rank, client));
      if (rank.rows.length === 0) continue;
      const rows = mergeEqualExports ? exportedAlike(rank.rows) : rank.rows;
      if (tell !== undefined) {
        for (const later of ranks) {
          passedOver.push(...hiddenIn(later, client), ...after(rank, later));
        }
        passedOver.push(...elsewhere(read, tables, indexes, host, places));
        passedOver.push(...notMerged(rank.rows, rows));
        tellRules(tell, { ...rank, rows }, passedOver, host);
      }
      return rows.map((r) => objectKey(r.meta)).join(",");
    }
    if (tell !== undefined) {
      passedOver.push(...elsewhere(read, tables, indexes, host, places));
      tell({ group: "rules", source: "built-in", value: "none", passedOver });
    }
    return "";
  });
  const policy = deriveTelling<Policy>(graph, "policy", (read, key, tell) => {
    const rules = key === "" ? [] : key.split(",");
    const rows = rules
      .map((rule) => read.get(tables.destinationRules, rule))
      .filter((row) => row !== undefined);
    return { rules, ...firstPolicy(rows, tell), ...mergeSubsets(rows, tell) };
  }, { equal: samePolicy });
  return { ruleKey, policy, selected };
}

/** The rules of one rank: of one namespace, for one host or pattern. */
interface Rank {
  readonly place: string;
  readonly pattern: string;
  /** Those that the client may see, oldest first. */
  readonly rows: readonly ConfigObject<DestinationRule>[];
  readonly hidden: readonly ConfigObject<DestinationRule>[];
}

/** Ranks in the order of precedence, found one by one: the first with rules decides. */
function* ranked(
  read: Read,
  tables: Tables,
  indexes: Indexes,
  of: { readonly host: string; readonly client: string; readonly places: readonly string[] },
): Generator<Rank> {
  const patterns = [of.host, ...coveringPatterns(of.host)];
  for (const place of of.places) {
    for (const pattern of patterns) {
      yield { place, pattern, ...rulesFor(read, tables, indexes, pattern, place, of.client) };
    }
  }
}

type RuleRows = readonly ConfigObject<DestinationRule>[];

/** The first rule, and those that are exported to the same namespaces: who sees one of them sees all. */
function exportedAlike(rows: RuleRows): RuleRows {
  const of = ({ spec, meta }: ConfigObject<DestinationRule>): string =>
    String(visibilityOf(spec.exportTo, meta.namespace));
  return rows.filter((row) => of(row) === of(rows[0]!));
}

function notMerged(rows: RuleRows, merged: RuleRows): PassedOver[] {
  return rows.filter((row) => !merged.includes(row)).map((row) => ({
    ...fromObject(row, "spec.exportTo"),
    why: "it is exported to others than the rule before it",
  }));
}

function hiddenIn({ hidden }: Rank, client: string): PassedOver[] {
  const whom = client === "" ? "everybody" : `namespace ${client}`;
  return hidden.map((row) => ({
    ...fromObject(row, "spec.exportTo"),
    why: `it is not exported to ${whom}`,
  }));
}

/** The rules of a rank, as passed over in favour of an earlier one. */
function after(won: Rank, { place, pattern, rows }: Rank): PassedOver[] {
  const why = place === won.place
    ? `the host ${pattern} is less specific than ${won.pattern}`
    : `rules of namespace ${won.place} go before those of ${place}`;
  return rows.map((row) => ({ ...fromObject(row, "spec.host"), why }));
}

/** Rules for a host in namespaces where nobody looks for them. */
function elsewhere(
  read: Read,
  tables: Tables,
  indexes: Indexes,
  host: string,
  places: readonly string[],
): PassedOver[] {
  const why = `rules are looked for in ${places.map((p) => `namespace ${p}`).join(", ")} alone`;
  return [host, ...coveringPatterns(host)]
    .flatMap((pattern) => read.members(indexes.rulesByHost, pattern))
    .filter((key) => !places.some((place) => key.startsWith(place + "/")))
    .map((key) => read.get(tables.destinationRules, key))
    .filter((row) => row !== undefined)
    .map((row) => ({ ...fromObject(row, "metadata.namespace"), why }));
}

/** Says who decides for a host. */
function tellRules(
  tell: Tell,
  won: Rank,
  passedOver: readonly PassedOver[],
  host: string,
): void {
  const [first, ...more] = won.rows;
  tell({
    group: "rules",
    ...fromObject(first!, "spec.host"),
    value: won.pattern === host ? host : `${won.pattern} covers ${host}`,
    passedOver,
  });
  for (const row of more) {
    tell({
      group: "rules",
      ...fromObject(row, "spec.host"),
      value: `joins ${objectKey(first!.meta)}, which goes before it where both speak`,
    });
  }
}

/** The rules of one namespace for one host or pattern. */
function rulesFor(
  read: Read,
  tables: Tables,
  indexes: Indexes,
  pattern: string,
  place: string,
  client: string,
): Pick<Rank, "rows" | "hidden"> {
  const rows: ConfigObject<DestinationRule>[] = [];
  const hidden: ConfigObject<DestinationRule>[] = [];
  for (const key of read.members(indexes.rulesByHost, pattern)) {
    if (!key.startsWith(place + "/")) continue;
    const row = read.get(tables.destinationRules, key);
    if (row === undefined) continue;
    // What is for some workloads alone is found by those: see `selectedRules`.
    if (selectsWorkloads(row.spec)) continue;
    const own = place === client;
    const seen = own || visibleTo(visibilityOf(row.spec.exportTo, row.meta.namespace), client);
    (seen ? rows : hidden).push(row);
  }
  return { rows: rows.sort(byAge), hidden };
}

type Rows = readonly ConfigObject<DestinationRule>[];

function firstPolicy(
  rows: Rows,
  tell: Tell | undefined,
): Pick<Policy, "trafficPolicy" | "trafficPolicyOf"> {
  const having = rows.filter((r) => r.spec.trafficPolicy !== undefined);
  const [first, ...rest] = having;
  if (first === undefined) return { trafficPolicy: undefined, trafficPolicyOf: "" };
  tell?.({
    group: "trafficPolicy",
    ...fromObject(first, "spec.trafficPolicy"),
    passedOver: rest.map((row) => ({
      ...fromObject(row, "spec.trafficPolicy"),
      why: whyLater(row, first),
    })),
  });
  return { trafficPolicy: first.spec.trafficPolicy, trafficPolicyOf: objectKey(first.meta) };
}

function mergeSubsets(
  rows: Rows,
  tell: Tell | undefined,
): Pick<Policy, "subsets" | "subsetsOf"> {
  const byName = new Map<string, { subset: Subset; row: ConfigObject<DestinationRule> }>();
  for (const row of rows) {
    for (const [i, subset] of row.spec.subsets.entries()) {
      const known = byName.get(subset.name);
      if (known === undefined) byName.set(subset.name, { subset, row });
      else {
        tell?.({
          group: `subset ${subset.name}`,
          ...fromObject(known.row, "spec.subsets"),
          passedOver: [{
            ...fromObject(row, `spec.subsets[${i}]`),
            why: known.row === row ? "an earlier subset has its name" : whyLater(row, known.row),
          }],
        });
      }
    }
  }
  const merged = [...byName.values()];
  return {
    subsets: merged.map(({ subset }) => subset),
    subsetsOf: merged.map(({ row }) => objectKey(row.meta)),
  };
}

/** Messages of unchanged rows are the same objects, so identity is enough. */
function samePolicy(a: Policy, b: Policy): boolean {
  return a.trafficPolicy === b.trafficPolicy && a.subsets.length === b.subsets.length &&
    a.subsets.every((s, i) => s === b.subsets[i]) && a.rules.join() === b.rules.join();
}
