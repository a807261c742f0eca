/**
 * Comparison of the rules that are in place with the plan, and the input that removes them. Pure.
 *
 * @module
 */
import { canonicalRule } from "./canonical.ts";
import { conditionWords, restoreText, usedTables } from "./render.ts";
import {
  type Chain,
  type FamilyPlan,
  HOOKS,
  isOwnChain,
  orderedRules,
  ownChains,
  type Rule,
  type Table,
  TABLES,
} from "./rule.ts";
import type { SavedRule, SavedTable, SavedTables } from "./saved.ts";

/** State of the rules of one IP version. */
export interface Comparison {
  /** Chains of Mesh or rules of the plan are in place. */
  readonly present: boolean;
  /** Differences from the plan, one sentence each; empty when the plan is in place. */
  readonly differences: readonly string[];
}

/** Compares what is in place with the plan. Rules of other programs are ignored. */
export function compare(plan: FamilyPlan, saved: SavedTables): Comparison {
  const differences: string[] = [];
  let present = false;
  for (const table of TABLES) {
    const found = saved.get(table);
    if (found === undefined) {
      if (plan.rules.some((rule) => rule.table === table)) {
        differences.push(`table ${table} has no rules`);
      }
      continue;
    }
    const wanted = ownChains(plan.rules, table);
    const own = [...found.chains].filter(isOwnChain);
    if (own.length > 0) present = true;
    for (const chain of new Set([...wanted, ...own])) {
      if (!found.chains.has(chain)) differences.push(`chain ${chain} of table ${table} is missing`);
      else if (!wanted.includes(chain)) {
        differences.push(`chain ${chain} of table ${table} is not in the plan`);
      } else differences.push(...compareChain({ plan, table, chain, found }));
    }
    for (const chain of HOOKS) differences.push(...compareChain({ plan, table, chain, found }));
    if (hookRules(plan, table, found).length > 0) present = true;
  }
  return { present, differences };
}

interface ChainCase {
  readonly plan: FamilyPlan;
  readonly table: Table;
  readonly chain: Chain;
  readonly found: SavedTable;
}

function compareChain({ plan, table, chain, found }: ChainCase): readonly string[] {
  const wanted = orderedRules(plan.rules, table, chain).map(canonicalOf);
  const rules = isOwnChain(chain) ? found.rules : hookRules(plan, table, found);
  const actual = rules.filter((rule) => rule.chain === chain);
  const at = `chain ${chain} of table ${table}`;
  const differences = wanted.filter((rule) => !actual.some(({ canonical }) => canonical === rule))
    .map((rule) => `${at} lacks the rule "${rule}"`);
  const surplus = actual.filter(({ canonical }) => !wanted.includes(canonical))
    .map(({ text }) => `${at} has the rule "${text}", which is not in the plan`);
  differences.push(...surplus);
  if (differences.length > 0) return differences;
  if (actual.length !== wanted.length) return [`${at} has a rule more than once`];
  const same = actual.every(({ canonical }, i) => canonical === wanted[i]);
  return same ? [] : [`${at} has its rules in another order`];
}

/** Rules in chains of the kernel that belong to Mesh: those of the plan, and jumps to own chains. */
function hookRules(
  plan: FamilyPlan,
  table: Table,
  found: SavedTable,
): readonly SavedRule[] {
  const planned = new Set(
    [...plan.rules, ...plan.former ?? []].filter((rule) =>
      rule.table === table && !isOwnChain(rule.chain)
    )
      .map((rule) => `${rule.chain} ${canonicalOf(rule)}`),
  );
  return found.rules.filter((rule) =>
    !isOwnChain(rule.chain) &&
    (isOwnChain(rule.target) || planned.has(`${rule.chain} ${rule.canonical}`))
  );
}

function canonicalOf(rule: Rule): string {
  return canonicalRule(conditionWords(rule));
}

/**
 * Lines that remove the chains of Mesh and the rules of the plan from a table, if they are there.
 * Rules of other programs stay.
 */
export function removalLines(
  plan: FamilyPlan,
  table: Table,
  saved: SavedTables,
): readonly string[] {
  const found = saved.get(table);
  if (found === undefined) return [];
  const own = [...found.chains].filter(isOwnChain);
  return [
    ...hookRules(plan, table, found).map(({ chain, text }) => `-D ${chain} ${text}`),
    ...own.map((chain) => `-F ${chain}`),
    ...own.map((chain) => `-X ${chain}`),
  ];
}

/**
 * Input of `iptables-restore --noflush` that brings back the rules of Mesh that were in place before a
 * failed change. Rules in chains of the kernel go to their end.
 */
export function rollbackText(plan: FamilyPlan, before: SavedTables, now: SavedTables): string {
  const lines = TABLES.flatMap((table) => {
    const former = before.get(table);
    const own = [...former?.chains ?? []].filter(isOwnChain);
    const rules = former === undefined ? [] : [
      ...former.rules.filter(({ chain }) => isOwnChain(chain)),
      ...hookRules(plan, table, former),
    ];
    const change = [
      ...removalLines(plan, table, now),
      ...own.map((chain) => `-N ${chain}`),
      ...rules.map(({ chain, text }) => `-A ${chain} ${text}`),
    ];
    return change.length === 0 ? [] : [`* ${table}`, ...change, "COMMIT"];
  });
  return lines.map((line) => `${line}\n`).join("");
}

/** Input of `iptables-restore --noflush` that removes everything; empty when nothing is there. */
export function removalText(plan: FamilyPlan, saved: SavedTables): string {
  const lines = TABLES.flatMap((table) => {
    const removal = removalLines(plan, table, saved);
    return removal.length === 0 ? [] : [`* ${table}`, ...removal, "COMMIT"];
  });
  return lines.map((line) => `${line}\n`).join("");
}

/**
 * Input of `iptables-restore --noflush` that puts the plan in the place of what is there. The change
 * of each table is atomic, so that no packet passes uncaptured in between.
 */
export function replacementText(plan: FamilyPlan, saved: SavedTables): string {
  const used = usedTables(plan);
  const unused: FamilyPlan = { ...plan, rules: [], former: [...plan.rules, ...plan.former ?? []] };
  const others = TABLES.filter((table) => !used.includes(table)).flatMap((table) => {
    const removal = removalLines(unused, table, saved);
    return removal.length === 0 ? [] : [`* ${table}`, ...removal, "COMMIT"];
  });
  return restoreText(plan, (table) => removalLines(plan, table, saved)) +
    others.map((line) => `${line}\n`).join("");
}
