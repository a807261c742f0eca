/**
 * Runs a piece of work once for a storm of reasons.
 *
 * @module
 */

/** When work runs, in milliseconds. */
export interface Timing {
  /** Work waits until no event came for so long. */
  readonly quiet: number;
  /** But no longer than this after the first event. */
  readonly maxQuiet: number;
  /** Work runs at least this often, against events that got lost. */
  readonly rescan: number;
}

/** 50 ms of quiet is beyond an editor's or a kubelet's burst; a minute bounds what a lost event costs. */
export const DEFAULT_TIMING: Timing = { quiet: 50, maxQuiet: 500, rescan: 60_000 };

/** A running pulse. */
export interface Pulse {
  /** Something may have changed. */
  poke(): void;
  /** Runs the work at once and waits for it; after work that is under way, not instead of it. */
  run(): Promise<void>;
  /** No more work; waits for what is under way. */
  close(): Promise<void>;
}

/** Starts a pulse. The work must not reject. It never runs twice at a time. */
export function startPulse(work: () => Promise<void>, timing: Timing): Pulse {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let firstPoke: number | undefined;
  let closed = false;
  let tail: Promise<void> = Promise.resolve();

  const schedule = (ms: number) => {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(() => void run(), ms);
  };
  const run = (): Promise<void> => {
    clearTimeout(timer);
    firstPoke = undefined;
    tail = tail.then(async () => {
      if (closed) return;
      await work();
      // A poke during the work has set a timer of its own.
      if (firstPoke === undefined) schedule(timing.rescan);
    });
    return tail;
  };
  const poke = () => {
    const now = performance.now();
    firstPoke ??= now;
    const left = firstPoke + timing.maxQuiet - now;
    schedule(Math.max(0, Math.min(timing.quiet, left)));
  };
  schedule(timing.rescan);
  return {
    poke,
    run,
    async close() {
      closed = true;
      clearTimeout(timer);
      await tail;
    },
  };
}
