/**
 * Debouncing: changes that arrive close together are published as one batch. A change that stands
 * alone and follows a quiet time is published almost at once. Others are collected until a quiet time
 * follows, but never longer than a maximum wait. Changes of endpoints do not extend the wait, because
 * they cost little and are urgent. Clock and timers are passed in.
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
 * Milliseconds that a change which stands alone waits for others. Events of one write, such as that of
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
    const batch = { since: bounds.first, waited: options.now() - bounds.first, triggers };
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
    const endpoint = endpointsOnly(kinds);
    bounds.add({ at: Math.min(seen, now), endpoint, alone, begins: triggers.size === 0 });
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
  /** Adds a change; `begins`: it is the first of a batch. */
  add(change: { at: number; endpoint: boolean; alone: boolean; begins: boolean }): void;
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
  /** When the changes of endpoints are due, and all others, of the waiting batch. */
  let due: { endpoints: number; others?: number } = { endpoints: 0 };
  /** When the latest change of endpoints was seen, and of anything else, in any batch. */
  let [lastEndpoint, lastOther] = [-Infinity, -Infinity];
  const end = (wait: number): number => Math.min(wait, first + max);
  const addEndpoint = (at: number, begins: boolean): void => {
    // Later changes of endpoints are published with the first ones.
    if (begins) due.endpoints = at + (at - lastEndpoint >= after ? soon : after);
    lastEndpoint = Math.max(lastEndpoint, at);
  };
  const addOther = (at: number, alone: boolean): void => {
    const single = alone && due.others === undefined && at - lastOther >= after;
    lastOther = Math.max(lastOther, at);
    due.others = single ? at + soon : lastOther + after;
  };
  return {
    add: ({ at, endpoint, alone, begins }) => {
      if (begins) [first, due] = [at, { endpoints: 0 }];
      first = Math.min(first, at);
      if (endpoint) addEndpoint(at, begins);
      else addOther(at, alone);
    },
    get first() {
      return first;
    },
    get due() {
      return end(due.others ?? due.endpoints);
    },
    get latest() {
      return end((due.others ?? due.endpoints) + after);
    },
  };
}

function endpointsOnly(kinds: Iterable<Trigger>): boolean {
  return [...kinds].every((kind) => kind === "endpoint");
}
