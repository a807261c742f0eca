/**
 * `/debug/request/compare`: the effect of an edit on the proxies that run, and on the requests that the
 * configuration speaks of.
 *
 * @module
 */
import {
  type BlastRadius,
  compareRequests,
  meshesOf,
  OfflineMesh,
  type SeenRequest,
} from "../offline/mod.ts";
import { renderProblems } from "../whatif/mod.ts";
import type { DebugInputs } from "./inputs.ts";
import type { Sidecar } from "./request_sidecars.ts";

/** An edit, and the proxies of other replicas. */
export interface ComparedEdit {
  readonly documents: string;
  readonly removals: readonly string[];
  readonly proxies: readonly Sidecar[];
  /** Requests of access logs. */
  readonly seen: readonly SeenRequest[];
}

/** Computes the effect of an edit; returns the error of one that is not possible. */
export async function compareEdit(
  { whatIf, sessions }: DebugInputs,
  { proxies, seen, ...question }: ComparedEdit,
  signal: AbortSignal,
): Promise<BlastRadius | { readonly error: string; readonly status: 400 | 429 }> {
  const own = sessions().map(({ node }) => node);
  const here = new Set(own.map(({ id }) => id));
  const nodes = [...own, ...proxies.map(({ node }) => node).filter(({ id }) => !here.has(id))];
  const answer = await whatIf.askWith(question, ({ translation, changes, show }, pace) => {
    const sides = meshesOf(() => OfflineMesh.running(translation, nodes), show);
    return compareRequests({ changes, show: sides }, { pause: () => pace.pause(), seen });
  }, signal);
  if (answer.kind === "busy") {
    return { error: "another question is being answered; ask again in a moment", status: 429 };
  }
  if (answer.kind === "invalid") {
    return { error: renderProblems(answer.problems).trimEnd(), status: 400 };
  }
  return { prediction: answer.prediction, requests: answer.result, otherKinds: 0, limits: [] };
}
