/**
 * Access rules with the clauses that decided, and the policy that came nearest to a match.
 *
 * @module
 */
import type { Policy, RBAC } from "#envoy/config/rbac/v3/rbac_pb.ts";
import { type Clause, clausesOfPermission, clausesOfPrincipal } from "./clauses.ts";
import { judge, type Subject } from "./rbac.ts";
import type { Ternary } from "./ternary.ts";

/** A rule and its clauses for one request. */
export interface RuleTrace {
  /** Name of the rule, `ns[NAMESPACE]-policy[NAME]-rule[INDEX]` with an optional prefix. */
  readonly policy: string;
  readonly clauses: readonly Clause[];
}

/** The evaluation of rules with one action. */
export interface AccessTrace {
  readonly action: "ALLOW" | "DENY" | "LOG";
  /** True: the rules are a dry run. They refuse nothing. */
  readonly dryRun: boolean;
  /** `undefined`: not decidable. */
  readonly allowed: Ternary;
  /** The rule that matched, with the clauses that matched. */
  readonly decided?: RuleTrace;
  /** If no rule matched: the rule with the fewest clauses that do not match, and these clauses. */
  readonly nearest?: RuleTrace;
}

/** Evaluates rules and explains the result. */
export function traceAccess(rules: RBAC, subject: Subject, dryRun: boolean): AccessTrace {
  const { allowed, policy, action } = judge(rules, subject);
  const common = { action, dryRun, allowed };
  if (policy !== "") {
    const best = bestOf(rules.policies[policy]!, subject);
    return { ...common, decided: { policy, clauses: best } };
  }
  let nearest: RuleTrace | undefined;
  for (const name of Object.keys(rules.policies).sort()) {
    const missed = bestOf(rules.policies[name]!, subject).filter(({ holds }) => holds !== true);
    if (missed.length === 0) continue;
    if (nearest === undefined || missed.length < nearest.clauses.length) {
      nearest = { policy: name, clauses: missed };
    }
  }
  return { ...common, ...(nearest === undefined ? {} : { nearest }) };
}

/** Returns the clauses of the alternatives of a rule with the fewest that do not match. */
function bestOf({ permissions, principals }: Policy, subject: Subject): Clause[] {
  return [
    ...fewest(permissions.map((one) => clausesOfPermission(one, subject))),
    ...fewest(principals.map((one) => clausesOfPrincipal(one, subject))),
  ];
}

function fewest(alternatives: readonly (readonly Clause[])[]): readonly Clause[] {
  const missed = (one: readonly Clause[]): number =>
    one.filter(({ holds }) => holds !== true).length;
  return alternatives.reduce<readonly Clause[] | undefined>(
    (best, one) => best === undefined || missed(one) < missed(best) ? one : best,
    undefined,
  ) ?? [];
}
