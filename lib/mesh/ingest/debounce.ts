/**
 * Debouncing: changes are collected for a quiet time, so that a batch is published as one, but
 * never longer than a maximum wait. Clock and timers are passed in.
 *
 * @module
 */

/** Kinds of change; the label `type` of the metric `pilot_push_triggers`. */
export type Trigger = "config" | "endpoint" | "service" | "proxy" | "global" | "networks";

/** Changes that are published together. */
export interface Batch {
  /** When the first change of the batch was seen, by the clock of the debouncer. */
  readonly since: number;
  /** Milliseconds from then until the publication. */
  readonly waited: number;
  readonly triggers: ReadonlySet<Trigger>;
}

/** Settings of a debouncer; times in milliseconds. */
export interface DebounceSettings {
  /** Quiet time after the last change. */
  readonly after: number;
  /** Maximum time after the first change. */
  readonly max: number;
  /** True: changes of endpoints wait too. False: they are published at once, unless others wait. */
  readonly endpointsWait: boolean;
}

/** Settings, clock, timers and the callback of a debouncer. */
export interface DebounceOptions extends DebounceSettings {
  readonly now: () => number;
  /** Runs a function after a delay; returns a function that cancels it. */
  readonly timer: (run: () => void, ms: number) => () => void;
  /**
   * True while a source has noticed changes that it has not reported yet. The batch then waits for
   * them, for one more quiet time at most. Default: never.
   */
  readonly moreExpected?: () => boolean;
  /** Publishes a batch. Its errors are not caught here. */
  readonly publish: (batch: Batch) => void;
}

/** Collects changes into batches. */
export interface Debouncer {
  /** Records a change that was seen now. */
  changed(...triggers: readonly Trigger[]): void;
  /**
   * Records a change that was seen at an earlier time, by `now`. A source that waits for files to
   * settle has used a part of the quiet time already.
   */
  changedAt(at: number, triggers: Iterable<Trigger>): void;
  /** Publishes the waiting batch now; does nothing when there is none. */
  flush(): void;
  /** Drops the waiting batch. */
  stop(): void;
  /** True while a batch is waiting. */
  readonly waiting: boolean;
}

/** Milliseconds between two checks of `moreExpected`. */
const RECHECK_MS = 5;

/** Creates a debouncer without a batch. */
export function createDebouncer(options: DebounceOptions): Debouncer {
  let triggers = new Set<Trigger>();
  let first = 0;
  let last = 0;
  let cancel: (() => void) | undefined;

  const stop = (): void => {
    cancel?.();
    cancel = undefined;
    triggers = new Set();
  };
  const flush = (): void => {
    const batch = { since: first, waited: options.now() - first, triggers };
    stop();
    if (batch.triggers.size > 0) options.publish(batch);
  };

  /** Runs when the quiet time may be over; later changes may have extended it. */
  const check = (): void => {
    cancel = undefined;
    const now = options.now();
    const due = Math.min(last + options.after, first + options.max);
    const latest = Math.min(due + options.after, first + options.max);
    if (now < due) cancel = options.timer(check, due - now);
    else if (now < latest && options.moreExpected?.()) cancel = options.timer(check, RECHECK_MS);
    else flush();
  };

  const changedAt = (seen: number, kinds: Iterable<Trigger>): void => {
    const now = options.now();
    const at = Math.min(seen, now);
    if (triggers.size === 0) first = last = at;
    first = Math.min(first, at);
    last = Math.max(last, at);
    for (const kind of kinds) triggers.add(kind);
    const endpointsOnly = [...triggers].every((kind) => kind === "endpoint");
    if (endpointsOnly && !options.endpointsWait) return flush();
    if (cancel !== undefined) return;
    // Never synchronously: the source may report more changes of the same moment next.
    cancel = options.timer(check, Math.max(0, at + Math.min(options.after, options.max) - now));
  };

  return {
    changed: (...kinds) => changedAt(options.now(), kinds),
    changedAt,
    flush,
    stop,
    get waiting() {
      return triggers.size > 0;
    },
  };
}
