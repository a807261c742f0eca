/**
 * What-if answers: which proxies would be sent what by an edit, without applying it.
 *
 * @module
 */
import type { ObjectChange } from "../../mesh/ingest/mod.ts";
import type { SchemaProblem } from "../../mesh/schema/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import type { Pipeline } from "../../mesh/translate/mod.ts";
import { type Question, readQuestion } from "./documents.ts";
import { type Fork, fork, type MakePipeline } from "./fork.ts";
import { type Pace, startPace } from "./pace.ts";
import type { Prediction } from "./prediction.ts";
import { computeWhatIf } from "./compute.ts";

export { DOCUMENTS, type Edit, type Question } from "./documents.ts";
export { type Fork, type MakePipeline } from "./fork.ts";
export { type Pace, startPace } from "./pace.ts";
export {
  type AffectedClass,
  type ChangeGroup,
  groupChanges,
  type Prediction,
  predictionJson,
  renderPrediction,
  renderProblems,
  type ResourcePrediction,
  shortName,
} from "./prediction.ts";

/** The result of a question. */
export type Answer =
  | { readonly kind: "predicted"; readonly prediction: Prediction }
  /** The question was not evaluated: documents or names are invalid. */
  | {
    readonly kind: "invalid";
    readonly problems: readonly SchemaProblem[];
    readonly warnings: readonly SchemaProblem[];
  }
  /** Another question is being answered: one second graph at a time. */
  | { readonly kind: "busy" };

/** Answers questions, one at a time. */
export interface WhatIf {
  /** Rejects with the signal's reason when it is aborted; the work ends at its next pause. */
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  /**
   * Calls `use` with a second translation, when no other question is being answered. The second one
   * may be changed; the live one is only read.
   */
  withFork<T>(use: (second: Fork, pace: Pace) => Promise<T>, signal: AbortSignal): Promise<T>;
  /**
   * Like `ask`; then calls `use` with the second translation, which shows the mesh without the edit or
   * with it.
   */
  askWith<T>(
    question: Question,
    use: (edited: EditedFork, pace: Pace) => Promise<T>,
    signal: AbortSignal,
  ): Promise<AnswerWith<T>>;
}

/** An answer, and what was made of the second translation. */
export type AnswerWith<T> =
  | Exclude<Answer, { readonly kind: "predicted" }>
  | { readonly kind: "predicted"; readonly prediction: Prediction; readonly result: T };

/** A translation that shows an edit or not. */
export interface EditedFork {
  readonly translation: Fork["translation"];
  readonly changes: readonly ObjectChange[];
  /** Shows the mesh with the edit (at first), or without it. */
  show(side: "before" | "after"): Promise<void>;
}

/**
 * Answers questions with a second translation. The live one is only read, and its rows are shared.
 * A question costs the time and memory of a second translation, in pieces of milliseconds.
 *
 * @param make makes the second translation with the settings of the living one
 */
export function createWhatIf(
  options: {
    readonly live: Pipeline;
    readonly make: MakePipeline;
    readonly sessions: () => readonly SessionInfo[];
  },
): WhatIf {
  const { live, make } = options;
  let busy = false;
  const answer = async <T>(
    question: Question,
    use: (edited: EditedFork, pace: Pace) => Promise<T>,
    signal: AbortSignal,
  ): Promise<AnswerWith<T>> => {
    const began = performance.now();
    const pace = startPace(signal);
    const reading = await readQuestion(question, live, pace);
    const { problems, warnings, edits, changes } = reading;
    if (problems.length > 0) return { kind: "invalid", problems, warnings };
    const revision = live.translation.source.revision;
    const second = await fork(live, make, pace);
    const undo = second.inverse(changes);
    const outcome = await computeWhatIf(
      { second, sessions: options.sessions(), changes },
      pace,
    );
    const took = { ms: performance.now() - began, longestSliceMs: pace.longest };
    const prediction = { revision, edits, warnings, ...outcome, took };
    let shown = "after";
    const result = await use({
      translation: second.translation,
      changes: changes.objects ?? [],
      show: async (side) => {
        if (side !== shown) await second.apply(side === "after" ? changes : undo, pace);
        shown = side;
      },
    }, pace);
    return { kind: "predicted", prediction, result };
  };
  let idle: Promise<unknown> = Promise.resolve();
  const alone = async <T>(work: () => Promise<T>): Promise<T> => {
    busy = true;
    const done = Promise.withResolvers<void>();
    idle = done.promise;
    try {
      return await work();
    } finally {
      busy = false;
      done.resolve();
    }
  };
  return {
    ask: async (question, signal) => {
      if (busy) return { kind: "busy" };
      return await alone(() => answer(question, () => Promise.resolve(), signal));
    },
    askWith: async (question, use, signal) => {
      if (busy) return { kind: "busy" };
      return await alone(() => answer(question, use, signal));
    },
    withFork: async (use, signal) => {
      while (busy) await idle;
      return await alone(async () => {
        const pace = startPace(signal);
        return await use(await fork(live, make, pace), pace);
      });
    },
  };
}
