/**
 * The objects that decide a refusal: those without which the outcome would differ, found by leaving
 * each out and asking again.
 *
 * @module
 */
import {
  type Cause,
  type Explanation,
  type Outcome,
  type Verdict,
  verdictOf,
} from "../verdict/mod.ts";

/**
 * Returns the verdict about the same request in a mesh without some objects, each
 * `Kind/namespace/name`.
 */
export type AskWithout = (objects: readonly string[]) => Promise<Verdict>;

/** Kinds that decide about requests to workloads that exist without them. */
const DECIDING: ReadonlySet<string> = new Set([
  "AuthorizationPolicy",
  "DestinationRule",
  "DataproxyFilter",
  "PeerAuthentication",
  "ProxyConfig",
  "RequestAuthentication",
  "Sidecar",
  "Telemetry",
  "VirtualService",
  "WasmPlugin",
]);

/** Objects that are left out; each costs a translation of what depends on it. */
const TRIED = 40;

/**
 * Names the deciding objects as the causes of the refusals. An explanation without a refusal is
 * returned as it is.
 */
export async function nameDeciding(
  explanation: Explanation,
  askWithout: AskWithout,
): Promise<Explanation> {
  const before = verdictOf(explanation);
  if (before.outcome !== "denied") return explanation;
  const candidates = explanation.objects.filter(isDeciding).slice(0, TRIED);
  const turns = async (objects: readonly string[]): Promise<boolean> => {
    const after = await askWithout(objects);
    return after.outcome !== "denied" || after.deniedShare < before.deniedShare - 1e-6;
  };
  const named: string[] = [];
  for (const one of candidates) if (await turns([one])) named.push(one);
  const found = named.length > 0 ? named : await together(candidates, turns);
  return {
    ...explanation,
    outcomes: explanation.outcomes.map((one) => withCauses(one, found, explanation)),
  };
}

/** A smallest set of objects that turns the outcome together; empty: none does. */
async function together(
  candidates: readonly string[],
  turns: (objects: readonly string[]) => Promise<boolean>,
): Promise<readonly string[]> {
  if (candidates.length < 2 || !await turns(candidates)) return [];
  let set = candidates;
  for (const one of candidates) {
    const rest = set.filter((other) => other !== one);
    if (rest.length > 0 && await turns(rest)) set = rest;
  }
  return set;
}

function isDeciding(object: string): boolean {
  return DECIDING.has(object.slice(0, object.indexOf("/")));
}

/** The refusal with the deciding objects, or with what makes the workload exist. */
function withCauses(outcome: Outcome, named: readonly string[], all: Explanation): Outcome {
  const { refusal } = outcome;
  if (refusal === undefined) return outcome;
  const steps = all.hops.flatMap((hop) => hop.steps.flatMap(({ causes }) => causes));
  // The longest field is the most exact one.
  const exact = steps.toSorted((a, b) => (b.field?.length ?? 0) - (a.field?.length ?? 0));
  const known = [...refusal.causes, ...exact];
  const causes = named.length > 0
    ? named.map((object): Cause =>
      known.find((cause) => cause.object === object) ??
        { source: "object", object, decides: "outcome" }
    )
    : refusal.causes.filter(({ object }) => object === undefined || !isDeciding(object));
  return { ...outcome, refusal: { ...refusal, causes } };
}
