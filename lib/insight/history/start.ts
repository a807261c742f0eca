/**
 * Starts history, recording and background audit by the environment variables.
 *
 * @module
 */
import { scope } from "../../kit/log/mod.ts";
import type { Translation } from "../../mesh/translate/mod.ts";
import { createHistory, type History } from "./history.ts";
import { type RecordedOptions, type Recorder, startRecording } from "./record.ts";
import { openLineFile } from "./record_file.ts";
import { type AuditSummary, createSelfAudit } from "./self_audit.ts";
import {
  MESH_HISTORY_REVISIONS,
  MESH_INPUT_LOG,
  MESH_SELFAUDIT_BUDGET,
  MESH_SELFAUDIT_INTERVAL,
} from "./variables.ts";

const log = scope("default");

/** History and audit of a running daemon. */
export interface RunningHistory extends AsyncDisposable {
  readonly history: History;
  readonly audit: () => AuditSummary;
}

/** Options. */
export interface HistoryStart {
  readonly translation: Translation;
  /** Settings that a recording of the input begins with. */
  readonly recorded: RecordedOptions;
  /** Runs a function regularly, but not during a publication. Returns a function that ends it. */
  readonly every: (ms: number, run: () => void) => () => void;
}

/**
 * Starts history, recording and audit.
 *
 * @throws MeshError `input-log-unwritable`
 */
export async function startHistory(
  { translation, recorded, every }: HistoryStart,
): Promise<RunningHistory> {
  const { graph } = translation.mesh;
  await using stack = new AsyncDisposableStack();
  const history = createHistory(graph, {
    clock: () => Date.now(),
    limit: MESH_HISTORY_REVISIONS.get(),
  });
  const recorder = await openRecording(translation, recorded, stack);
  stack.defer(
    translation.source.onPublish((changed, revision) => {
      history.note(changed, revision);
      recorder?.note(revision);
    }),
  );
  const audit = createSelfAudit({
    graph,
    publish: () => translation.publish(),
    clock: () => Date.now(),
    now: () => performance.now(),
    millis: MESH_SELFAUDIT_BUDGET.get(),
    onDifference: ({ cell, wrong, origins }) =>
      log.error("the audit found and repaired a difference", { ...cell, wrong, origins }),
  });
  const interval = MESH_SELFAUDIT_INTERVAL.get();
  if (interval > 0) stack.defer(every(interval, () => void audit.round()));
  const running = stack.move();
  return {
    history,
    audit: () => audit.summary(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function openRecording(
  translation: Translation,
  options: RecordedOptions,
  stack: AsyncDisposableStack,
): Promise<Recorder | undefined> {
  const path = MESH_INPUT_LOG.get();
  if (path === undefined || path === "") return undefined;
  const file = await openLineFile(path, (error) => {
    log.error("the recording of the input has ended: the file cannot be written", { path, error });
  });
  stack.defer(() => file.close());
  const { graph, tables } = translation.mesh;
  log.info("recording the input", { path });
  return startRecording({ graph, tables, options, clock: () => Date.now(), write: file.write });
}
