/**
 * An election between a test and a program that the test pauses.
 *
 * @module
 */
import type { ElectionOptions } from "../../../lib/cluster/controllers/mod.ts";

/** The ConfigMap that both write. */
export const WRITTEN = "written-by-leaders";

/** The writes of the program before it stops itself. */
export const PAUSED_AFTER = 5;

/** The election; its times are short. */
export const PAUSED_ELECTION: Omit<ElectionOptions, "client" | "identity" | "run"> = {
  namespace: "mesh-system",
  name: "paused-election",
  revision: "default",
  enabled: true,
  timing: { leaseMs: 3_000, deadlineMs: 2_000, fenceMs: 1_000, retryMs: 100 },
};
