/**
 * A second pipeline with everything that the live one was given, made in small pieces. Nothing in
 * here writes to the live one.
 *
 * @module
 */
import { createGraph, type Graph } from "../graph/mod.ts";
import { type ChangeSet, publishInPieces } from "../ingest/mod.ts";
import type { Pipeline, Translation } from "../translate/mod.ts";
import type { Pace } from "./pace.ts";

/** Creates a pipeline in a graph, with the settings of the live one. */
export type MakePipeline = (graph: Graph) => Pipeline;

/** A translation beside the living one. */
export interface Fork {
  readonly graph: Graph;
  readonly translation: Translation;
  /** Makes what the bindings taken so far show. */
  prepare(pace: Pace): Promise<void>;
  /** Applies changes as the living one would, and publishes what came of them. */
  apply(changes: ChangeSet, pace: Pace): Promise<void>;
}

/** Entries of the collections' logs: nothing that is rehearsed may be trimmed away. */
const LOG_LIMIT = 10_000_000;
/** The same of bytes: as many as there are. */
const LOG_BYTES = Number.MAX_SAFE_INTEGER;
/** Milliseconds of work before there may be a pause. */
const PIECE_MS = 5;

/** Takes everything as it is at this moment; rows are never changed, so that both can have the same ones. */
export async function fork(live: Pipeline, make: MakePipeline, pace: Pace): Promise<Fork> {
  const all = live.writer.all();
  await pace.pause();
  const graph = createGraph({
    logLimit: LOG_LIMIT,
    logBytes: LOG_BYTES,
    now: () => performance.now(),
  });
  const { writer, translation } = make(graph);
  const apply: Fork["apply"] = async (changes, pace) => {
    const pause = async (): Promise<void> => void await pace.pause();
    await publishInPieces({ writer, target: translation, pause, millis: PIECE_MS }, changes);
    await pace.pause();
  };
  await apply(all, pace);
  return {
    graph,
    translation,
    apply,
    prepare: async (pace) => {
      while (!graph.prepare(PIECE_MS)) await pace.pause();
      await pace.pause();
    },
  };
}
