/**
 * Compares explanations with the results of a real Envoy.
 *
 * @module
 */
import { outcomeOf } from "../../../lib/insight/explain/mod.ts";
import type { ExplainedStep, Outcome } from "../../../lib/insight/verdict/mod.ts";
import type { Verdict } from "../../../lib/insight/simulate/mod.ts";
import type { Reply } from "./client.ts";
import type { LogLine } from "./envoy.ts";

/** An explained call and its result. */
export interface Explained {
  readonly verdict: Verdict;
  readonly steps: readonly ExplainedStep[];
  readonly reply: Reply;
  readonly line: LogLine | undefined;
}

/**
 * Returns the difference between the explained outcomes and the result, or the clause of an access
 * decision that contradicts the decision; `undefined`: neither.
 */
export function misexplained({ verdict, steps, reply, line }: Explained): string | undefined {
  const outcomes = verdict.endings.map((ending) => outcomeOf(ending, "proxy", steps));
  const faults = outcomes.map((outcome) => outcomeDiffers(outcome, reply, line));
  if (!faults.includes(undefined)) return `explained: ${faults.join(" / ")}`;
  return steps.map(contradiction).find((one) => one !== undefined);
}

/** Returns the difference between an explained outcome and the result at its proxy. */
export function outcomeDiffers(
  outcome: Outcome,
  reply: Reply,
  line: LogLine | undefined,
): string | undefined {
  const { kind, status, cluster, endpoints = [], refusal } = outcome;
  switch (kind) {
    case "unknown":
      return outcome.text;
    case "reached":
      if (line?.cluster !== cluster) return `reached ${cluster}, not ${line?.cluster}`;
      return line?.host == null || endpoints.includes(line.host) ? undefined : `not ${line.host}`;
    case "answered":
      return reply.status === status ? undefined : `answered ${status}, not ${reply.status}`;
    case "refused": {
      const closed = reply.status === 0 || line?.flags === "DPE";
      if (status === undefined ? !closed : reply.status !== status) {
        return `refused with ${status}, not ${reply.status}`;
      }
      const [, namespace, name, index] = RULE.exec(line?.details ?? "") ?? [];
      if (index === undefined) return undefined;
      const wanted = `AuthorizationPolicy/${namespace}/${name} spec.rules[${index}]`;
      const causes = (refusal?.causes ?? []).map(({ object, field }) => `${object} ${field}`);
      return causes.includes(wanted) ? undefined : `refused by ${causes}, not ${wanted}`;
    }
  }
}

/** A rule in the response details of Envoy; it replaces other characters by underscores. */
const RULE = /ns\[([^\]]*)\]-policy\[([^\]]*)\]-rule\[(\d+)\]/;

/** All clauses of a rule that matched hold; the listed clauses of the nearest rule do not. */
function contradiction({ access }: ExplainedStep): string | undefined {
  const wrong = access?.decided?.clauses.find(({ holds }) => holds !== true) ??
    access?.nearest?.clauses.find(({ holds }) => holds === true);
  return wrong === undefined ? undefined : `clause ${JSON.stringify(wrong)} of ${access?.action}`;
}
