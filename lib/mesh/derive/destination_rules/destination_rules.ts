/**
 * DestinationRules: which ones apply to a host, seen from a namespace.
 *
 * @module
 */
import type { DecisionLog, PassedOver } from "../../../kit/base/mod.ts";
import { type Derived, type KeyCodec, keyOf, list, type Read, text } from "../../graph/mod.ts";
import {
  type ConfigObject,
  coveringPatterns,
  fromObject,
  fullHost,
  objectKey,
  whyLater,
} from "../../model/mod.ts";
import type {
  DestinationRule,
  Subset,
  TrafficPolicy,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import { elsewhere, type Rank, ranks } from "./rule_ranks.ts";
import { visibilityOf } from "../inputs/mod.ts";

/** Row keys of DestinationRules, in the order of precedence. */
export type RuleKeys = readonly string[];

/** The codec of {@link RuleKeys}: joined by commas. */
export const ruleKeys: KeyCodec<RuleKeys> = list(text);

/** The rules that apply to a host, merged. */
export interface Policy {
  readonly rules: RuleKeys;
  /** From the first rule that has one. */
  readonly trafficPolicy: TrafficPolicy | undefined;
  /** Row key of that rule; `""` for none. */
  readonly trafficPolicyOf: string;
  /** The subsets of all rules; of two with one name the first applies. */
  readonly subsets: readonly Subset[];
  /** Row keys of the rules that these are from, in the same order. */
  readonly subsetsOf: readonly string[];
}

/** A host of a service, as the proxies of a namespace see it. */
export interface RulesKey {
  /** The namespace of the proxies. */
  readonly client: string;
  /** The namespace of the service. */
  readonly owner: string;
  readonly host: string;
}

const rulesKeys: KeyCodec<RulesKey> = keyOf<RulesKey>({ client: text, owner: text, host: text });

/** The derived tables about policies. */
export interface Policies {
  /**
   * The rules that apply to a host. Rules of the client's namespace go first, then
   * those of the service's, then those of the root namespace; in each namespace
   * those for the most specific host win.
   */
  readonly rules: Derived<RuleKeys, RulesKey>;
  /** The policy of some rules, merged. */
  readonly policy: Derived<Policy, RuleKeys>;
  /**
   * Returns those of the rules that select a workload (oldest first) that apply to a host: the ones
   * for the most specific host. They precede all others. Empty if none applies.
   */
  readonly selected: (read: Read, host: string, rules: RuleKeys) => RuleKeys;
}

/** Creates the tables. With `mergeEqualExports`, rules are merged only when they are exported to the same namespaces. */
export function derivePolicies(
  inputs: MeshInputs,
  { mergeEqualExports }: { readonly mergeEqualExports: boolean },
): Policies {
  const { graph, tables } = inputs;
  const rules = graph.derive("policy.rules", rulesKeys, (read, key): RuleKeys => {
    const namespaces = [...new Set([key.client, key.owner, inputs.rootNamespace(read)])]
      .filter((namespace) => namespace !== "");
    return chooseRules(read, inputs, { ...key, namespaces }, mergeEqualExports);
  });
  const policy = graph.derive("policy", ruleKeys, (read, keys): Policy => {
    const rows = keys.map((rule) => read.get(tables.destinationRules, rule))
      .filter((row) => row !== undefined);
    return { rules: keys, ...firstPolicy(rows, read), ...mergeSubsets(rows, read) };
  }, { equal: samePolicy });
  return {
    rules,
    policy,
    selected: (read, host, keys) => selectedRules(read, inputs, host, keys),
  };
}

function selectedRules(
  read: Read,
  { tables, domain }: MeshInputs,
  host: string,
  keys: RuleKeys,
): RuleKeys {
  const rows = keys.map((key) => read.get(tables.destinationRules, key))
    .filter((row) => row !== undefined);
  for (const pattern of rows.length === 0 ? [] : [host, ...coveringPatterns(host)]) {
    const [first, ...more] = rows.filter((row) =>
      fullHost(row.spec.host, row.meta.namespace, domain) === pattern
    );
    if (first === undefined) continue;
    const value = "it selects the workload";
    read.decide?.({ group: "rules", ...fromObject(first, "spec.workloadSelector"), value });
    return [first, ...more].map((row) => objectKey(row.meta));
  }
  return [];
}

/** A question for the rules of a host, with the namespaces in which they are looked for. */
interface RulesQuestion extends RulesKey {
  readonly namespaces: readonly string[];
}

function chooseRules(
  read: Read,
  inputs: MeshInputs,
  question: RulesQuestion,
  mergeEqualExports: boolean,
): RuleKeys {
  const { client, host, namespaces } = question;
  const ranked = ranks(read, inputs, question);
  const recording = read.decide !== undefined;
  const passedOver: PassedOver[] = [];
  for (const rank of ranked) {
    if (recording) passedOver.push(...hiddenIn(rank, client));
    if (rank.rows.length === 0) continue;
    const rows = mergeEqualExports ? exportedAlike(rank.rows) : rank.rows;
    if (recording) {
      for (const later of ranked) {
        passedOver.push(...hiddenIn(later, client), ...after(rank, later));
      }
      passedOver.push(...elsewhere(read, inputs, host, namespaces));
      passedOver.push(...notMerged(rank.rows, rows));
      recordRules(read, { ...rank, rows }, host, passedOver);
    }
    return rows.map((row) => objectKey(row.meta));
  }
  if (recording) passedOver.push(...elsewhere(read, inputs, host, namespaces));
  read.decide?.({ group: "rules", source: "built-in", value: "none", passedOver });
  return [];
}

type Rows = readonly ConfigObject<DestinationRule>[];

/** The first rule, and those that are exported to the same namespaces: who sees one of them sees all. */
function exportedAlike(rows: Rows): Rows {
  const of = ({ spec, meta }: ConfigObject<DestinationRule>): string =>
    String(visibilityOf(spec.exportTo, meta.namespace));
  return rows.filter((row) => of(row) === of(rows[0]!));
}

function notMerged(rows: Rows, merged: Rows): PassedOver[] {
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
function after(won: Rank, { namespace, pattern, rows }: Rank): PassedOver[] {
  const why = namespace === won.namespace
    ? `the host ${pattern} is less specific than ${won.pattern}`
    : `rules of namespace ${won.namespace} go before those of ${namespace}`;
  return rows.map((row) => ({ ...fromObject(row, "spec.host"), why }));
}

function recordRules(
  log: DecisionLog,
  won: Rank,
  host: string,
  passedOver: readonly PassedOver[],
): void {
  const [first, ...more] = won.rows;
  const value = won.pattern === host ? host : `${won.pattern} covers ${host}`;
  log.decide?.({ group: "rules", ...fromObject(first!, "spec.host"), value, passedOver });
  for (const row of more) {
    log.decide?.({
      group: "rules",
      ...fromObject(row, "spec.host"),
      value: `joins ${objectKey(first!.meta)}, which goes before it where both speak`,
    });
  }
}

function firstPolicy(
  rows: Rows,
  log: DecisionLog,
): Pick<Policy, "trafficPolicy" | "trafficPolicyOf"> {
  const [first, ...rest] = rows.filter((row) => row.spec.trafficPolicy !== undefined);
  if (first === undefined) return { trafficPolicy: undefined, trafficPolicyOf: "" };
  log.decide?.({
    group: "trafficPolicy",
    ...fromObject(first, "spec.trafficPolicy"),
    passedOver: rest.map((row) => ({
      ...fromObject(row, "spec.trafficPolicy"),
      why: whyLater(row, first),
    })),
  });
  return { trafficPolicy: first.spec.trafficPolicy, trafficPolicyOf: objectKey(first.meta) };
}

function mergeSubsets(rows: Rows, log: DecisionLog): Pick<Policy, "subsets" | "subsetsOf"> {
  const byName = new Map<string, { subset: Subset; row: ConfigObject<DestinationRule> }>();
  for (const row of rows) {
    for (const [i, subset] of row.spec.subsets.entries()) {
      const known = byName.get(subset.name);
      if (known === undefined) byName.set(subset.name, { subset, row });
      else {
        log.decide?.({
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
    a.subsets.every((s, i) => s === b.subsets[i]) && ruleKeys.equal(a.rules, b.rules);
}
