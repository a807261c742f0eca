/**
 * The record of what was published, and the audit in the background.
 *
 * @module
 */
import {
  type AuditSummary,
  createHistory,
  createSelfAudit,
  type History,
} from "../../lib/history/mod.ts";
import { scope } from "../../lib/log/mod.ts";
import type { Translation } from "../../lib/translate/mod.ts";

const log = scope("default");

/** Milliseconds between two rounds of the audit, and what a round may take: half a percent of a core. */
const AUDIT = { every: 1_000, millis: 5 } as const;

/** What is recorded, until it is disposed of. */
export interface Record extends Disposable {
  readonly history: History;
  readonly audit: () => AuditSummary;
}

/** Begins to record and to audit a translation. */
export function startRecord(translation: Translation): Record {
  const { graph } = translation.mesh;
  const history = createHistory(graph, { clock: () => Date.now() });
  const forget = translation.source.onPublish((changed, revision) =>
    history.note(changed, revision)
  );
  const audit = createSelfAudit({
    graph,
    publish: () => translation.apply({}),
    clock: () => Date.now(),
    now: () => performance.now(),
    millis: AUDIT.millis,
    onDifference: ({ cell, wrong, origins }) =>
      log.error("the audit found and repaired a difference", { ...cell, wrong, origins }),
  });
  const timer = setInterval(() => audit.round(), AUDIT.every);
  return {
    history,
    audit: () => audit.summary(),
    [Symbol.dispose]: () => {
      clearInterval(timer);
      forget();
    },
  };
}
