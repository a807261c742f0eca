/**
 * Source of configuration objects: another control plane, which is followed over one stream at a
 * time. When the stream ends, what was received stays in use, and the source connects again.
 *
 * @module
 */
import { type Backoff, jittered, pauseAfter, sleep } from "../../../kit/async/mod.ts";
import { messageOf } from "../../../kit/base/mod.ts";
import type { Intake } from "../../ingest/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import type { ConfigObject } from "../../model/mod.ts";
import type { Any } from "../../../kit/proto/mod.ts";
import type { Kind, SchemaProblem } from "../../schema/mod.ts";
import { createProblemReporter } from "../files/problem_reporter.ts";
import type { SourceProblem } from "../files/source_problem.ts";
import { type ConnectionOptions, connectOnce } from "./connection.ts";
import type { HeldObjects } from "./held.ts";
import { KINDS_BY_URL } from "./objects.ts";

const log = scope("xds-source");

/** Pauses between attempts. */
const PAUSES: Backoff = { first: 200, longest: 10_000 };

/** Settings of the source. */
export interface ControlPlaneOptions extends Pick<ConnectionOptions, "target" | "tls" | "node"> {
  /** Name of the source: its address, as the mesh configuration has it. */
  readonly name: string;
  readonly intake: Intake;
  /** Its objects, which may be from an earlier connection. */
  readonly held: HeldObjects;
}

/** A control plane that is followed. */
export interface ControlPlane {
  /** Resolves when all objects of all kinds were received once, or the source was closed. */
  readonly synced: Promise<void>;
  objects(): readonly ConfigObject[];
  problems(): readonly SourceProblem[];
  warnings(): readonly SchemaProblem[];
  /** Disconnects. With `drop`, the objects are deleted. */
  close(drop: boolean): Promise<void>;
}

/** Connects, and connects again with growing pauses whenever the stream ends. */
export function followControlPlane(options: ControlPlaneOptions): ControlPlane {
  const { name, intake, held } = options;
  const reporter = createProblemReporter(log);
  const missing = new Set(KINDS_BY_URL.keys());
  const { promise: synced, resolve } = Promise.withResolvers<void>();
  const stop = new AbortController();
  let failures = 0;
  const received = (kind: Kind, resources: readonly Any[]): void => {
    const { upserts, deletes } = held.replace(kind, resources);
    if (upserts.length + deletes.length > 0) intake.objects({ upserts, deletes });
    reporter.report(held.problems(), held.warnings());
    if (failures > 0) log.info("the control plane is connected again", { source: name });
    failures = 0;
    intake.health(undefined);
    for (const [url, one] of KINDS_BY_URL) if (one === kind) missing.delete(url);
    if (missing.size > 0) return;
    intake.synced();
    resolve();
  };
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const fault = await connectOnce({ ...options, received }, stop.signal)
        .then(() => "the stream ended", messageOf);
      if (stop.signal.aborted) break;
      intake.health(fault);
      const pause = jittered(pauseAfter(++failures, PAUSES));
      const line = { source: name, reason: fault, retryMs: Math.round(pause) };
      if (failures === 1) {
        log.warn("the control plane cannot be reached; the last configuration stays in use", line);
      } else log.debug("the control plane still cannot be reached", line);
      await sleep(pause, stop.signal);
    }
  };
  const done = run();
  return {
    synced,
    objects: held.objects,
    problems: held.problems,
    warnings: held.warnings,
    async close(drop) {
      stop.abort();
      await done;
      resolve();
      if (!drop) return;
      intake.objects(held.clear());
      intake.health(undefined);
      reporter.report([], []);
    },
  };
}
