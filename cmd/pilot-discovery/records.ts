/**
 * Records of the running daemon: history, receipts, pushes, costs.
 *
 * @module
 */
import {
  createPushLog,
  createSamples,
  createSpending,
  type PushLog,
  type Samples,
  type Spending,
} from "../../lib/insight/debug/mod.ts";
import { type RunningHistory, startHistory } from "../../lib/insight/history/mod.ts";
import { observeUnused } from "../../lib/insight/monitor/mod.ts";
import { createReceipts, editedObject, type Receipts } from "../../lib/insight/receipts/mod.ts";
import { readEvictionInterval } from "../../lib/mesh/environment/mod.ts";
import type { Engine } from "./engine.ts";
import type { Settings } from "./settings.ts";

/** Longest piece of giving memory back that no publication did, ms. */
const TIDY_MS = 20;

/** Records of the running daemon. */
export interface Records extends Pick<RunningHistory, "history" | "audit"> {
  readonly receipts: Receipts;
  readonly pushes: PushLog;
  readonly spending: Spending;
  readonly samples: Samples;
}

/**
 * Starts the records, and the work that is done between publications.
 *
 * @throws MeshError for a recording that cannot be written
 */
export async function startRecords(
  settings: Settings,
  { graph, pipeline: { translation, mesh }, ingest }: Engine,
  stack: AsyncDisposableStack,
): Promise<Records> {
  const { domain, clusterId, features } = settings.pipeline;
  const { history, audit } = stack.use(
    await startHistory({
      translation,
      recorded: { domain, clusterId, features },
      every: ingest.every,
    }),
  );
  const countUnused = observeUnused(graph);
  stack.defer(ingest.every(readEvictionInterval(), () => {
    translation.tidy(TIDY_MS);
    countUnused();
  }));
  const receipts = createReceipts({
    edits: (since) => graph.edits(since),
    causes: (collection, name) => graph.causes(collection, name),
    identify: (edit) => editedObject(mesh.tables, ingest.seenAt, edit),
    clock: () => Date.now(),
  });
  return {
    history,
    audit,
    receipts,
    pushes: createPushLog(graph),
    spending: createSpending(graph),
    samples: createSamples(graph),
  };
}
