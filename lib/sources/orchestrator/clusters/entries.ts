/**
 * The WorkloadEntries of one other cluster. Services of that cluster select them, and ServiceEntries
 * of the daemon's own cluster.
 *
 * @module
 */
import type { Intake } from "../../../ingest/mod.ts";
import { scope } from "../../../log/mod.ts";
import type { FollowTiming, OrchClient } from "../../../orch/mod.ts";
import { TABLED_KINDS } from "../../../schema/mod.ts";
import { createProblemReporter } from "../../files/problem_reporter.ts";
import type { SourceProblem } from "../../files/source_problem.ts";
import { followKind } from "../kind_objects.ts";
import { isRefused } from "../refused.ts";
import type { RevisionSelection } from "../revision.ts";
import type { FollowedResource } from "../config_objects.ts";

const log = scope("orch");

/** Settings of {@link followEntries}. */
export interface EntriesOptions {
  readonly client: OrchClient;
  readonly cluster: string;
  readonly intake: Pick<Intake, "objects">;
  /** The only namespace that is read; empty: all. */
  readonly namespace: string;
  /** The entries that are used; all without it. */
  readonly revision?: RevisionSelection | undefined;
  readonly timing?: Partial<FollowTiming> | undefined;
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
