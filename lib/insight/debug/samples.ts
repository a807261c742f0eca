/**
 * Samples of the last hour: edits, how long proxies took to have them, refusals, proxies, memory.
 *
 * @module
 */
import type { Graph } from "../../mesh/graph/mod.ts";
import type { AnswerEvent, XdsObserver } from "../../mesh/xds/mod.ts";

/** The state at a time, and the events since the sample before. */
export interface Sample {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Edits that were published; of publications whose edits are no longer known, none. */
  readonly edits: number;
  /** Longest time from a publication to an answer that came in, ms; unset: none came in. */
  readonly slowestMs?: number;
  /** Responses that proxies rejected. */
  readonly refused: number;
  /** Connected proxies. */
  readonly proxies: number;
  /** Resident memory of the process, bytes. */
  readonly memory: number;
}

/** A bounded record of samples. */
export interface Samples {
  /** Observer for the discovery server. */
  readonly observer: XdsObserver;
  /** Ends a sample: the state now, with the events since the last one. */
  take(now: Pick<Sample, "time" | "proxies" | "memory">): void;
  /** The oldest first. */
  recent(): readonly Sample[];
}

/** Time between two samples, ms. */
export const SAMPLE_MS = 15_000;
/** The time for which samples are kept, ms. */
export const KEPT_MS = 3_600_000;

/** Number of publications whose answers are measured. */
const PUBLICATIONS = 200;

/** Creates a record of `limit` samples at most: about 100 bytes each. */
export function createSamples(
  graph: Pick<Graph, "edits">,
  limit: number = KEPT_MS / SAMPLE_MS,
): Samples {
  const kept: Sample[] = [];
  const published = new Map<number, number>();
  let edits = 0;
  let refused = 0;
  let slowestMs: number | undefined;
  const answered = ({ from, revision, time }: AnswerEvent): void => {
    // No edit caused the first response to a proxy.
    const since = from === 0 ? undefined : published.get(revision);
    if (since !== undefined) slowestMs = Math.max(slowestMs ?? 0, time - since);
  };
  return {
    observer: {
      published: ({ revision, from, time }) => {
        edits += graph.edits(from)?.length ?? 0;
        published.set(revision, time);
        if (published.size > PUBLICATIONS) published.delete(published.keys().next().value!);
      },
      acknowledged: answered,
      rejected: (event) => {
        refused++;
        answered(event);
      },
    },
    take: (now) => {
      kept.push({ ...now, edits, refused, ...slowestMs !== undefined && { slowestMs } });
      if (kept.length > limit) kept.shift();
      edits = 0;
      refused = 0;
      slowestMs = undefined;
    },
    recent: () => kept,
  };
}
