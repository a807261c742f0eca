/**
 * Debouncing: changes that arrive close together are published as one batch. Changes of endpoints, and
 * others that stand alone, are published almost at once, but not sooner than a quiet time after the
 * publication before. If a change of the batch needs others, the batch waits until a quiet time
 * follows, but never longer than a maximum wait. Clock and timers are passed in.
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
  /** Quiet time after the last change that needs others, and least time between publications. */
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
  /**
   * Records a change that was seen at an earlier time, by `now`. A source that waits for files to
   * settle has used a part of the quiet time already.
   *
   * @param alone true: it can be published without others that may follow
   */
  changedAt(at: number, triggers: Iterable<Trigger>, alone: boolean): void;
  /** Publishes the waiting batch now; does nothing when there is none. */
  flush(): void;
  /** Drops the waiting batch. */
  stop(): void;
  /** True while a batch is waiting. */
  readonly waiting: boolean;
}

/** Milliseconds between two checks of `moreExpected`. */
const RECHECK_MS = 5;
/**
 * Milliseconds that changes which stand alone wait for others. Events of one write, such as that of
 * a Service and those of its EndpointSlices, arrive closer together than this.
 */
const SINGLE_MS = 10;

/** Creates a debouncer without a batch. */
export function createDebouncer(options: DebounceOptions): Debouncer {
  const bounds = createBounds(options);
  let triggers = new Set<Trigger>();
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;

  const stop = (): void => {
    timer?.cancel();
    timer = undefined;
    triggers = new Set();
  };
  const checkIn = (ms: number, now: number): void => {
    timer?.cancel();
    timer = { at: now + ms, cancel: options.timer(check, ms) };
  };
  const flush = (): void => {
    const now = options.now();
    const batch = { since: bounds.first, waited: now - bounds.first, triggers };
    bounds.publish(now);
    stop();
    if (batch.triggers.size > 0) options.publish(batch);
  };

  /** Runs when the wait may be over; later changes may have extended it. */
  const check = (): void => {
    timer = undefined;
    const now = options.now();
    const { due, latest } = bounds;
    if (now < due) checkIn(due - now, now);
    else if (now < latest && options.moreExpected?.()) checkIn(RECHECK_MS, now);
    else flush();
  };

  const changedAt = (seen: number, kinds: Iterable<Trigger>, alone: boolean): void => {
    const now = options.now();
    bounds.add({
      at: Math.min(seen, now),
      alone: alone || endpointsOnly(kinds),
      begins: triggers.size === 0,
    });
    for (const kind of kinds) triggers.add(kind);
    if (endpointsOnly(triggers) && !options.endpointsWait) return flush();
    if (timer !== undefined && timer.at <= bounds.due) return;
    // Never synchronously: the source may report more changes of the same moment next.
    checkIn(Math.max(0, bounds.due - now), now);
  };

  return {
    changedAt,
    flush,
    stop,
    get waiting() {
      return triggers.size > 0;
    },
  };
}

/** When the waiting batch is published. */
interface Bounds {
  /** Adds a change; `begins`: it is the first of a batch. `alone`: it does not extend the wait. */
  add(change: { at: number; alone: boolean; begins: boolean }): void;
  /** The batch is published now. */
  publish(now: number): void;
  /** When the first change of the batch was seen. */
  readonly first: number;
  /** When the batch is published, unless more changes arrive. */
  readonly due: number;
  /** When the batch is published even if a source has noticed more changes. */
  readonly latest: number;
}

function createBounds({ after, max }: DebounceSettings): Bounds {
  const soon = Math.min(after, SINGLE_MS);
  let first = 0;
  /** When the latest change of the batch was seen that extends the wait. */
  let extended: number | undefined;
  let published = -Infinity;
  const due = (): number =>
    extended === undefined ? Math.max(first + soon, published + after) : extended + after;
  const end = (wait: number): number => Math.min(wait, first + max);
  return {
    add: ({ at, alone, begins }) => {
      if (begins) [first, extended] = [at, undefined];
      first = Math.min(first, at);
      if (!alone) extended = Math.max(extended ?? at, at);
    },
    publish: (now) => published = now,
    get first() {
      return first;
    },
    get due() {
      return end(due());
    },
    get latest() {
      return end(due() + after);
    },
  };
}

function endpointsOnly(kinds: Iterable<Trigger>): boolean {
  return [...kinds].every((kind) => kind === "endpoint");
}
