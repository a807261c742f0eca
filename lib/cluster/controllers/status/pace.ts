/**
 * The pace at which status is written.
 *
 * @module
 */
import { sleep } from "../../../kit/async/mod.ts";
import { createRateLimit } from "../../../kit/orch/mod.ts";
import { applyAll, type Pass } from "../writes.ts";
import {
  PILOT_STATUS_BURST,
  PILOT_STATUS_MAX_WORKERS,
  PILOT_STATUS_QPS,
  PILOT_STATUS_UPDATE_INTERVAL,
} from "../variables.ts";

/** Settings of the pace. */
export interface StatusPace {
  /** Writes a second; 0 or less: no limit. */
  readonly qps: number;
  /** Writes that may go out at once after a quiet time. */
  readonly burst: number;
  /** Most writes at the same time; at least 1. */
  readonly workers: number;
  /** Least time from the end of a round of writes to the next round, in milliseconds. */
  readonly roundMs: number;
}

/** The pace that the environment sets. */
export function statusPace(): StatusPace {
  return {
    qps: PILOT_STATUS_QPS.get(),
    burst: PILOT_STATUS_BURST.get(),
    workers: PILOT_STATUS_MAX_WORKERS.get(),
    roundMs: PILOT_STATUS_UPDATE_INTERVAL.get(),
  };
}

/** Runs rounds of writes. */
export interface PacedWrites {
  /**
   * Runs one round.
   *
   * @param tasks makes the writes; called when the round begins
   * @returns the number of writes that succeeded
   * @throws the first failure, after all were tried
   */
  run(current: Pass, tasks: () => readonly (() => Promise<unknown>)[]): Promise<number>;
}

export function createPace({ qps, burst, workers, roundMs }: StatusPace): PacedWrites {
  const limit = createRateLimit({ qps, burst });
  let nextAt = 0;
  return {
    async run(current, tasks) {
      const { signal } = current;
      await sleep(Math.max(0, nextAt - performance.now()), signal);
      const writes = tasks();
      try {
        return await applyAll(current, writes, { workers, take: (ended) => limit.take(ended) });
      } finally {
        if (writes.length > 0) nextAt = performance.now() + roundMs;
      }
    },
  };
}
