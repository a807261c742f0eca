/**
 * An explanation as text.
 *
 * @module
 */
import type { Clause } from "../simulate/mod.ts";
import type { Cause, ExplainedStep, Explanation, Hop, Outcome } from "./explanation.ts";
import { ruleOf } from "./rules.ts";
import { doubtText } from "./verdict.ts";

const DIRECTIONS: Readonly<Record<Hop["direction"], string>> = {
  outbound: "outbound from its workload",
  inbound: "inbound to its workload",
  gateway: "from a client of the gateway",
  waypoint: "through the waypoint",
  "between networks": "through the gateway between networks",
};

/** The hops with their steps, then the outcomes. */
export function renderExplanation(
  { hops, outcomes, assumptions, doubts, unmodelled }: Explanation,
): string {
  const notes = [
    ...assumptions.map((one) => `assumed: ${one}`),
    ...doubts.map((one) => `not known: ${doubtText(one)}`),
    ...unmodelled.map((one) => `not modelled: ${one}`),
  ];
  return [
    ...hops.flatMap((hop) => [...hopLines(hop), ""]),
    ...outcomes.flatMap(outcomeLines),
    ...(notes.length === 0 ? [] : [""]),
    ...notes,
    "",
  ].join("\n");
}

function hopLines({ proxy, direction, destination, steps }: Hop): string[] {
  const width = Math.max(0, ...steps.map(({ step }) => step.length));
  const indent = " ".repeat(width + 4);
  return [
    `${proxy}, ${DIRECTIONS[direction]}, to ${destination}`,
    ...steps.flatMap((step) => [
      `  ${step.step.padEnd(width)}  ${step.name}: ${step.why}`,
      ...detailsOf(step).map((line) => `${indent}${line}`),
      ...causeLines(step.causes).map((line) => `${indent}${line}`),
    ]),
  ];
}

/** The values behind access and token decisions, one per line. */
export function detailsOf({ access, token }: ExplainedStep): string[] {
  const tokens = (token?.issuers ?? []).map(({ issuer, audiences, fault, actual }) => {
    const accepts = audiences.length === 0 ? "" : ` for ${audiences.join(" or ")}`;
    const verdict = fault === ""
      ? "accepts the token"
      : actual === undefined
      ? fault
      : `${fault} of the token is ${actual}`;
    return `issuer ${issuer || "any"}${accepts}: ${verdict}`;
  });
  const { decided, nearest } = access ?? {};
  return [
    ...tokens,
    ...(decided?.clauses ?? []).map((one) => `because ${clauseText(one)}`),
    ...(nearest === undefined ? [] : [
      `nearest rule: ${ruleName(nearest.policy)}`,
      ...nearest.clauses.map((one) => `  it fails because ${clauseText(one)}`),
    ]),
  ];
}

function ruleName(policy: string): string {
  const rule = ruleOf({ policy, clauses: [] });
  return rule === undefined ? policy : `${rule.object} ${rule.field}`;
}

function clauseText({ property, wanted, actual }: Clause): string {
  return `${property} is ${actual}; wanted: ${wanted}`;
}

const SOURCES: Readonly<Record<Cause["source"], string>> = {
  object: "an object",
  mesh: "the mesh configuration",
  environment: "the daemon's environment",
  proxy: "the proxy's own metadata",
  "built-in": "a default",
};

/** A source, its field and position; of an object that was made of others, these. */
export function causeText({ source, object, field, position, writtenIn }: Cause): string {
  return [
    // Objects of the cluster have no namespace.
    writtenIn?.join(", ") ?? object?.replace("//", "/") ?? SOURCES[source],
    ...(field === undefined || writtenIn !== undefined ? [] : [field]),
    ...(position === undefined ? [] : [`(${position})`]),
  ].join(" ");
}

/** A line for each cause; fields of objects that Mesh makes from one written object are one line. */
function causeLines(causes: readonly Cause[]): string[] {
  return [...new Set(causes.map((cause) => `by ${causeText(cause)}`))];
}

const VERBS: Readonly<Record<Outcome["kind"], string>> = {
  reached: "goes",
  answered: "answered",
  refused: "refused",
  unknown: "unknown",
};

function outcomeLines({ share, kind, proxy, text, refusal }: Outcome): string[] {
  const part = share === 1 ? "" : `${Math.round(share * 10_000) / 100} %: `;
  return [
    `=> ${part}${VERBS[kind]} by ${proxy}: ${text}`,
    ...causeLines(refusal?.causes ?? []).map((line) => `   ${line}`),
  ];
}
