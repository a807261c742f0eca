/**
 * A second pipeline with the inputs of the live one, built in small pieces. Nothing here writes to
 * the live one.
 *
 * @module
 */
import { createGraph, type Graph } from "../../mesh/graph/mod.ts";
import { type ChangeSet, publishInPieces } from "../../mesh/ingest/mod.ts";
import type { Pipeline, Translation } from "../../mesh/translate/mod.ts";
import type { ConfigObject } from "../../mesh/model/mod.ts";
import { MESH_ROW } from "../../mesh/derive/mod.ts";
import { defaultMeshConfig, defaultMeshNetworks, type TableKind } from "../../mesh/schema/mod.ts";
import type { Pace } from "./pace.ts";

/** Creates a pipeline in a graph, with the settings of the live one. */
export type MakePipeline = (graph: Graph) => Pipeline;

/** A second translation. */
export interface Fork {
  readonly graph: Graph;
  readonly translation: Translation;
  /** The row of an object as its source reported it. */
  original(kind: TableKind, key: string): ConfigObject | undefined;
  /** The changes that take back others, which are not applied yet. */
  inverse(changes: ChangeSet): ChangeSet;
  /** Builds the views of all bindings. */
  prepare(pace: Pace): Promise<void>;
  /** Applies and publishes changes, like the live one. */
  apply(changes: ChangeSet, pace: Pace): Promise<void>;
}

/** Entries of the collections' logs: nothing may be trimmed during a question. */
const LOG_LIMIT = 10_000_000;
/** Bytes of the logs: unlimited. */
const LOG_BYTES = Number.MAX_SAFE_INTEGER;
/** Milliseconds of work before a pause. */
const PIECE_MS = 5;

/** Copies the current inputs. Rows are immutable, so both pipelines share them. */
export async function fork(live: Pipeline, make: MakePipeline, pace: Pace): Promise<Fork> {
  const all = live.writer.all();
  await pace.pause();
  const graph = createGraph({
    logLimit: LOG_LIMIT,
    logBytes: LOG_BYTES,
    now: () => performance.now(),
    feeds: "ahead",
  });
  const { writer, translation } = make(graph);
  const apply: Fork["apply"] = async (changes, pace) => {
    const pause = async (): Promise<void> => void await pace.pause();
    const now = () => performance.now();
    await publishInPieces({ writer, target: translation, pause, now, millis: PIECE_MS }, changes);
    await pace.pause();
  };
  await apply(all, pace);
  return {
    graph,
    translation,
    apply,
    original: (kind, key) => writer.original(kind, key),
    inverse: ({ objects = [], mesh, networks }) => {
      const { tables } = translation.mesh;
      return {
        objects: objects.map(({ kind, key }) => ({
          kind,
          key,
          object: writer.original(kind, key),
        })),
        ...mesh && { mesh: tables.mesh.peek(MESH_ROW) ?? defaultMeshConfig() },
        ...networks && { networks: tables.networks.peek(MESH_ROW) ?? defaultMeshNetworks() },
      };
    },
    prepare: async (pace) => {
      while (!graph.prepare(PIECE_MS)) await pace.pause();
      await pace.pause();
    },
  };
}
