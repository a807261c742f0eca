/**
 * The engine of the daemon: tables, translation, and ingest in front of them.
 *
 * @module
 */
import { sleep } from "../../lib/kit/async/mod.ts";
import type { createGraph, Graph } from "../../lib/mesh/graph/mod.ts";
import { createIngest, type Ingest } from "../../lib/mesh/ingest/mod.ts";
import { scope } from "../../lib/kit/log/mod.ts";
import { countBatch, countInbound, countPublication } from "../../lib/insight/monitor/mod.ts";
import { createPipeline, type Pipeline } from "../../lib/mesh/translate/mod.ts";
import type { Settings } from "./settings.ts";

const log = scope("default");

/** Tables, translation and ingest. */
export interface Engine {
  readonly graph: Graph;
  readonly pipeline: Pipeline;
  readonly ingest: Ingest;
}

/** Creates the engine, without sources and with empty tables. */
export function createEngine(settings: Settings, makeGraph: typeof createGraph): Engine {
  const graph = makeGraph({ now: () => performance.now(), onFault: logFault, feeds: "ahead" });
  const pipeline = createPipeline(graph, settings.pipeline);
  const ingest = createIngest({
    writer: pipeline.writer,
    target: pipeline.translation,
    debounce: settings.debounce,
    clock: {
      now: () => performance.now(),
      time: () => Date.now(),
      timer: (run, ms) => {
        const id = setTimeout(run, ms);
        return () => clearTimeout(id);
      },
      async pause() {
        await sleep(0);
      },
    },
    observer: { changed: countInbound, publishing: countBatch, published: countPublication },
  });
  return { graph, pipeline, ingest };
}

const logFault: NonNullable<Parameters<typeof createGraph>[0]>["onFault"] = (
  table,
  key,
  fault,
) => {
  if (fault === undefined) return log.info("a computation works again", { table, key });
  const { inputs, error } = fault;
  log.error("a computation failed", { table, key, inputs, error });
};
