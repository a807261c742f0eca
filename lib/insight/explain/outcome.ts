/**
 * The outcome of a call: its destination, or its refusal with the object that refuses it.
 *
 * @module
 */
import type { Ending } from "../simulate/mod.ts";
import { type ExplainedStep, type Outcome, type Refusal, ruleOf } from "../verdict/mod.ts";

/** Endings with a status from here on are refusals. */
const FIRST_ERROR = 400;

/** Returns the outcome of an ending of a proxy. */
export function outcomeOf(
  ending: Ending,
  proxy: string,
  steps: readonly ExplainedStep[],
): Outcome {
  const { share } = ending;
  switch (ending.kind) {
    case "undecided": {
      const { why, remedy } = ending;
      const known = { share, kind: "unknown", proxy, text: `${proxy}: ${why}` } as const;
      return remedy === undefined ? known : { ...known, remedy };
    }
    case "closed": {
      const refusal = refusalOf(ending, steps);
      return {
        share,
        kind: "refused",
        proxy,
        text: `the connection is closed: ${ending.why}`,
        refusal,
      };
    }
    case "answered": {
      const { status, by, why, location: target } = ending;
      const to = target === undefined ? "" : ` to ${target}`;
      const text = `${status}${to} from ${by}: ${why}`;
      return status < FIRST_ERROR
        ? { share, kind: "answered", proxy, text, status }
        : { share, kind: "refused", proxy, text, status, refusal: refusalOf(ending, steps) };
    }
    case "forwarded": {
      const { as, cluster, upstream } = ending;
      const endpoints = upstream.endpoints.map(({ address }) => address);
      const text = reachedText(as, endpoints, cluster);
      return { share, kind: "reached", proxy, text, as, cluster, endpoints };
    }
  }
}

function reachedText(as: string, [first, ...rest]: readonly string[], cluster: string): string {
  const more = rest.length === 0 ? "" : ` or ${rest.length} more`;
  return `${as} to ${first ?? "no endpoint"}${more} of ${cluster}`;
}

/** Joins outcomes that differ in the proxy or the endpoint alone. */
export function mergeOutcomes(outcomes: readonly Outcome[]): Outcome[] {
  const groups = Map.groupBy(
    outcomes,
    (one) =>
      one.kind === "reached"
        ? JSON.stringify([one.as, one.cluster, one.cluster === undefined ? one.text : ""])
        : JSON.stringify({ ...one, proxy: "", share: 0 }),
  );
  return [...groups.values()].map((group): Outcome => {
    const [first] = group as [Outcome];
    if (group.length === 1) return first;
    const share = group.reduce((sum, one) => sum + one.share, 0);
    const { kind, as, cluster } = first;
    if (kind !== "reached" || as === undefined || cluster === undefined) return { ...first, share };
    const endpoints = [...new Set(group.flatMap((one) => one.endpoints ?? []))];
    return { ...first, share, endpoints, text: reachedText(as, endpoints, cluster) };
  });
}

/** Returns the refusing step's causes: of an access rule the rule, otherwise of the last step. */
function refusalOf(
  { by, why }: { readonly by: string; readonly why: string },
  steps: readonly ExplainedStep[],
): Refusal {
  const rule = by.startsWith("policy ") ? ruleOf({ policy: by.slice(7), clauses: [] }) : undefined;
  const last = steps.findLast((one) => rule === undefined || hasRule(one, rule.object));
  return { by, why, causes: last?.causes ?? [] };
}

function hasRule({ causes }: ExplainedStep, object: string): boolean {
  return causes.some((cause) => cause.object === object);
}
