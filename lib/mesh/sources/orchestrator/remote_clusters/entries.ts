/**
 * The WorkloadEntries of one other cluster. Services of that cluster select them, and ServiceEntries
 * of the daemon's own cluster.
 *
 * @module
 */
import { scope } from "../../../../kit/log/mod.ts";
import { TABLED_KINDS } from "../../../schema/mod.ts";
import { createProblemReporter } from "../../files/problem_reporter.ts";
import type { SourceProblem } from "../../files/source_problem.ts";
import { followKind, type KindOptions } from "../kind_objects.ts";
import { isRefused } from "../refused.ts";
import type { FollowedResource } from "../config_objects.ts";

const log = scope("orch");

/** Settings of {@link followEntries}. */
export interface EntriesOptions extends Omit<KindOptions, "source" | "changed" | "stateChanged"> {
  readonly cluster: string;
}

/** The followed entries. */
export interface ClusterEntries {
  /** Resolves when all entries were received, when the server refuses them, or after the end. */
  readonly ready: Promise<void>;
  state(): FollowedResource;
  problems(): SourceProblem[];
  close(): Promise<void>;
}

/**
 * Follows the entries. A cluster without their definition has none, and so has one that does not let
 * them be read.
 */
export function followEntries(options: EntriesOptions): ClusterEntries {
  const { cluster, revision } = options;
  const reporter = createProblemReporter(log);
  const { promise: refused, resolve: refuse } = Promise.withResolvers<void>();
  const entries = followKind(TABLED_KINDS.WorkloadEntry, {
    ...options,
    source: `cluster/${cluster}`,
    changed: () => reporter.report(entries.problems(), entries.warnings()),
    stateChanged({ fault }) {
      if (!isRefused(fault)) return;
      log.warn("WorkloadEntries of a remote cluster cannot be read", { cluster, reason: fault });
      refuse();
    },
  });
  const unsubscribe = revision?.onChange(() => entries.select());
  return {
    ready: Promise.race([entries.synced, refused]),
    state: () => ({ resource: entries.resource, ...entries.state() }),
    problems: () => reporter.dated(entries.problems()),
    close() {
      unsubscribe?.();
      return entries.close();
    },
  };
}
