/**
 * The publications that gave a request another outcome, from the history.
 *
 * @module
 */
import { explain, type Origin, type Party, type Question, type World } from "../explain/mod.ts";
import { type Verdict, verdictOf } from "../verdict/mod.ts";
import type { View } from "../../mesh/graph/mod.ts";
import type { History, Revision } from "../history/mod.ts";
import type { Pace } from "../whatif/mod.ts";

/** A publication after which the outcome of the request is another one. */
export interface PastOutcome {
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Edited rows, `Kind namespace/name`; none of the first outcome, which may be older. */
  readonly edits: readonly string[];
  readonly verdict: Verdict;
}

/** The request, and the history of what its proxies were served. */
export interface PastQuestion {
  readonly world: World;
  readonly from: Party | Origin;
  readonly question: Question;
  readonly history: History;
}

/**
 * Returns the oldest known outcome and each later change, the oldest first. Publications that
 * changed no resources of the proxies on the way are not evaluated.
 */
export async function outcomesSince(asked: PastQuestion, pace: Pace): Promise<PastOutcome[]> {
  const found: PastOutcome[] = [];
  let passed: ReadonlySet<string> = new Set();
  for (const one of asked.history.revisions().toReversed()) {
    if (found.length > 0 && !concerns(one, passed)) continue;
    await pace.pause();
    const past = askedAt(asked, one.revision);
    if (past === undefined) continue;
    passed = past.passed;
    const last = found.at(-1);
    if (last !== undefined && JSON.stringify(last.verdict) === JSON.stringify(past.verdict)) {
      continue;
    }
    const edits = last === undefined ? [] : one.edits.map(({ table, key }) => `${table} ${key}`);
    found.push({ revision: one.revision, at: one.at, edits, verdict: past.verdict });
  }
  return found;
}

/** True if the publication changed a collection, or changed more than its list names. */
function concerns({ changes, changed }: Revision, collections: ReadonlySet<string>): boolean {
  return changed > changes.length || changes.some((one) => collections.has(one.collection));
}

/** The verdict at a revision and the collections it was read from; `undefined`: no longer stored. */
function askedAt(
  { world, from, question, history }: PastQuestion,
  revision: number,
): { readonly verdict: Verdict; readonly passed: ReadonlySet<string> } | undefined {
  const passed = new Set<string>();
  let isStored = true;
  const contentOf = (view: View) => {
    for (const { name } of view.layers) passed.add(name);
    const content = history.at(revision, view);
    if (content === undefined) isStored = false;
    return content && { entries: () => content.values(), get: (name: string) => content.get(name) };
  };
  const verdict = verdictOf(explain(world, from, question, { causes: false, contentOf }));
  return isStored ? { verdict, passed } : undefined;
}
