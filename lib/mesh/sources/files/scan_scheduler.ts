/**
 * Schedules scans: one scan for a burst of events, and a regular one in case events were lost.
 *
 * @module
 */

/** When scans run; all in milliseconds. */
export interface ScanTiming {
  /** A scan waits until there was no event for this time. */
  readonly quiet: number;
  /** The same when events said that all files are complete. */
  readonly complete: number;
  /** But no longer than this after the first event. */
  readonly maxQuiet: number;
  /** A scan runs at least this often, in case events were lost. */
  readonly rescan: number;
}

/**
 * 50 ms is longer than the pauses of programs that write a file. 10 ms is longer than the bursts of
 * programs that replace files. A minute bounds the cost of a lost event.
 */
export const DEFAULT_TIMING: ScanTiming = {
  quiet: 50,
  complete: 10,
  maxQuiet: 500,
  rescan: 60_000,
};

/** A running scheduler. */
export interface ScanScheduler {
  /** Something may have changed: schedules a scan. `complete`: no file is being written. */
  trigger(complete?: boolean): void;
  /** Runs a scan now and waits for it. A scan in progress ends first. */
  run(): Promise<void>;
  /** Ends the scheduler; waits for a scan in progress. */
  close(): Promise<void>;
}

/** Starts a scheduler. `scan` must not reject; it never runs twice at the same time. */
export function startScanScheduler(scan: () => Promise<void>, timing: ScanTiming): ScanScheduler {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let firstTrigger: number | undefined;
  let closed = false;
  let tail: Promise<void> = Promise.resolve();

  const schedule = (ms: number) => {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(() => void run(), ms);
  };
  const run = (): Promise<void> => {
    clearTimeout(timer);
    firstTrigger = undefined;
    tail = tail.then(async () => {
      if (closed) return;
      await scan();
      // A trigger during the scan has set a timer of its own.
      if (firstTrigger === undefined) schedule(timing.rescan);
    });
    return tail;
  };
  const trigger = (complete = false) => {
    const now = performance.now();
    firstTrigger ??= now;
    const left = firstTrigger + timing.maxQuiet - now;
    schedule(Math.max(0, Math.min(complete ? timing.complete : timing.quiet, left)));
  };
  schedule(timing.rescan);
  return {
    trigger,
    run,
    async close() {
      closed = true;
      clearTimeout(timer);
      await tail;
    },
  };
}
