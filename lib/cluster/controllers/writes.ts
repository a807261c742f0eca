/**
 * The writes of a controller's pass.
 *
 * @module
 */
import { queueItem } from "../../kit/metrics/mod.ts";
import { MESH_ENABLE_CONTROLLER_QUEUE_METRICS } from "./variables.ts";

/** One pass of a controller. */
export interface Pass {
  /** Aborted at the end of the term. */
  readonly signal: AbortSignal;
  /** Name of the controller, and of its queue in metrics. */
  readonly controller: string;
}

type Task = () => Promise<unknown>;

export interface WritePace {
  /** Most writes at the same time; 1 by default. */
  readonly workers?: number;
  /** Waits until a write may begin. The wait is a part of the time in the queue. */
  readonly take?: (signal: AbortSignal) => Promise<void>;
}

/**
 * Runs writes and goes on after a failure.
 *
 * @returns the number of writes that succeeded
 * @throws the first failure, after all were tried
 */
export async function applyAll(
  { signal, controller }: Pass,
  tasks: readonly Task[],
  { workers = 1, take = () => Promise.resolve() }: WritePace = {},
): Promise<number> {
  const isMeasured = MESH_ENABLE_CONTROLLER_QUEUE_METRICS.get();
  const queued = tasks.map((task) => isMeasured ? inQueue(controller, task) : plain(task));
  let done = 0;
  let failure: { readonly error: unknown } | undefined;
  const remaining = queued.values();
  const work = async (): Promise<void> => {
    for (const { run, leave } of remaining) {
      if (signal.aborted) {
        leave();
        continue;
      }
      try {
        await run(() => take(signal));
        done++;
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, tasks.length) }, work));
  if (failure !== undefined) throw failure.error;
  return done;
}

/** A write that waits. */
interface QueuedWrite {
  /** Writes after `admission`. */
  readonly run: (admission: () => Promise<void>) => Promise<void>;
  /** The write is left out. */
  readonly leave: () => void;
}

function plain(task: Task): QueuedWrite {
  return {
    async run(admission) {
      await admission();
      await task();
    },
    leave: () => {},
  };
}

/** A write whose wait and time are measured. */
function inQueue(queue: string, task: Task): QueuedWrite {
  const item = queueItem(queue);
  return {
    async run(admission) {
      try {
        await admission();
        item.begin();
        await task();
      } finally {
        item.end();
      }
    },
    leave: item.end,
  };
}
