/**
 * The writes of a controller's pass.
 *
 * @module
 */
import { queueItem } from "../metrics/mod.ts";
import { MESH_ENABLE_CONTROLLER_QUEUE_METRICS } from "./variables.ts";

/** A controller in one pass. */
export interface Writer {
  /** Aborted at the end of the term. */
  readonly signal: AbortSignal;
  /** Name of the controller, and of its queue in metrics. */
  readonly controller: string;
}

type Task = () => Promise<unknown>;

/**
 * Runs writes and goes on after a failure.
 *
 * @param workers most writes at the same time
 * @returns the number of writes that succeeded
 * @throws the first failure, after all were tried
 */
export async function applyAll(
  { signal, controller }: Writer,
  tasks: readonly Task[],
  workers: number = 1,
): Promise<number> {
  const measured = MESH_ENABLE_CONTROLLER_QUEUE_METRICS.get();
  const queued = measured ? tasks.map((task) => inQueue(controller, task)) : tasks.map(plain);
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
        await run();
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
  readonly run: Task;
  /** The write is left out. */
  readonly leave: () => void;
}

function plain(run: Task): QueuedWrite {
  return { run, leave: () => {} };
}

/** A write whose wait and time are measured. */
function inQueue(queue: string, task: Task): QueuedWrite {
  const item = queueItem(queue);
  return {
    async run() {
      item.begin();
      try {
        return await task();
      } finally {
        item.end();
      }
    },
    leave: item.end,
  };
}
