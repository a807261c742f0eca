/**
 * The record of what was published, the recording of the input, and the audit in
 * the background.
 *
 * @module
 */
import { declareEnv } from "../../lib/env/mod.ts";
import {
  type AuditSummary,
  createHistory,
  createSelfAudit,
  type History,
  openLineFile,
  type RecordedOptions,
  type Recorder,
  startRecording,
} from "../../lib/history/mod.ts";
import { scope } from "../../lib/log/mod.ts";
import type { Translation } from "../../lib/translate/mod.ts";

const log = scope("default");
const readers = ["pilot-discovery"] as const;

const MESH_SELFAUDIT_INTERVAL = declareEnv({
  name: "MESH_SELFAUDIT_INTERVAL",
  type: "duration",
  default: "3s",
  range: { least: 0 },
  doc:
    "Interval of the background audit, which computes some values again, compares and repairs them; 0 disables it.",
  readers,
});
const MESH_SELFAUDIT_BUDGET = declareEnv({
  name: "MESH_SELFAUDIT_BUDGET",
  type: "duration",
  default: "5ms",
  range: { least: 1 },
  doc: "Approximate time limit of one round of the audit.",
  readers,
});
const MESH_HISTORY_REVISIONS = declareEnv({
  name: "MESH_HISTORY_REVISIONS",
  type: "int",
  default: 1_000,
  range: { least: 1 },
  doc: "Number of publications in the history, with their edits and changes.",
  readers,
});
const MESH_INPUT_LOG = declareEnv({
  name: "MESH_INPUT_LOG",
  type: "string",
  doc:
    "File that records all changes of configuration, for a replay; it is overwritten at each start and grows without bound.",
  readers,
});

/** What is recorded, until it is disposed of. */
export interface Record extends AsyncDisposable {
  readonly history: History;
  readonly audit: () => AuditSummary;
}

/**
 * Begins to record and to audit a translation.
 *
 * @param options what a recording of the input begins with
 * @param busy whether a publication is under way, which the audit must not meddle with
 * @throws MeshError `input-log-unwritable`
 */
export async function startRecord(
  translation: Translation,
  options: RecordedOptions,
  busy: () => boolean,
): Promise<Record> {
  const { graph } = translation.mesh;
  await using stack = new AsyncDisposableStack();
  const history = createHistory(graph, {
    clock: () => Date.now(),
    limit: MESH_HISTORY_REVISIONS.get(),
  });
  const recorder = await openRecording(translation, options, stack);
  stack.defer(
    translation.source.onPublish((changed, revision) => {
      history.note(changed, revision);
      recorder?.note(revision);
    }),
  );
  const audit = createSelfAudit({
    graph,
    publish: () => translation.apply({}),
    clock: () => Date.now(),
    now: () => performance.now(),
    millis: MESH_SELFAUDIT_BUDGET.get(),
    onDifference: ({ cell, wrong, origins }) =>
      log.error("the audit found and repaired a difference", { ...cell, wrong, origins }),
  });
  const every = MESH_SELFAUDIT_INTERVAL.get();
  if (every > 0) {
    const timer = setInterval(() => busy() ? undefined : audit.round(), every);
    stack.defer(() => clearInterval(timer));
  }
  const held = stack.move();
  return {
    history,
    audit: () => audit.summary(),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
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
    log.error("the recording of the input has ended: it can not be written", { path, error });
  });
  stack.defer(() => file.close());
  const { graph, tables } = translation.mesh;
  log.info("recording the input", { path });
  return startRecording(graph, tables, options, () => Date.now(), file.write);
}
