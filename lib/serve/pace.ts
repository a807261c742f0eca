/**
 * When changes are published: after a quiet time, so that a batch goes out as one, but never later
 * than a longest wait.
 *
 * @module
 */
import { debounceTime, inboundUpdates, pushTriggers } from "./metrics.ts";

/** What a debouncer goes by. Times in milliseconds. */
export interface DebounceOptions {
  /** Quiet time after the last change. */
  readonly after: number;
  /** Longest time after the first change. */
  readonly max: number;
  /** Whether changes of endpoints wait too; if not, they go at once unless others wait already. */
  readonly endpointsWait: boolean;
  readonly now: () => number;
  /**
   * Whether changes were noticed that will be told soon, so that those that wait should wait for
   * them: for as long as a quiet time more, at most.
   */
  readonly expects?: () => boolean;
  /** Runs something later; returns the way to call it off. */
  readonly timer: (run: () => void, ms: number) => () => void;
  /** Publishes. What it throws is the caller's matter: it reaches the timer. */
  readonly publish: () => void;
}

/** Kinds of change, as counted in `pilot_push_triggers`. */
export type Trigger = "config" | "endpoint" | "service" | "proxy" | "global" | "networks";

/** Gathers changes. */
export interface Debouncer {
  /** Something of these kinds changed just now. */
  touch(...kinds: readonly Trigger[]): void;
  /**
   * Something of these kinds changed at a time, by `now`: who waited for quiet before telling has
   * waited a part of the quiet time already.
   */
  touchedAt(at: number, kinds: Iterable<Trigger>): void;
  /** Publishes what waits, now. */
  flush(): void;
  /** Forgets what waits. */
  stop(): void;
  /** Whether something waits. */
  readonly waiting: boolean;
  /** While something is published: when the first change of it came; by `now`. */
  readonly since: number | undefined;
}

/** Counts changes of objects that came in. */
export function countInbound(type: "config" | "eds" | "svc" | "svcdelete"): void {
  inboundUpdates.inc({ type });
}

/** How often it is looked whether what is expected was told, milliseconds. */
const EXPECTING_MS = 5;

/** Makes a debouncer. */
export function createDebouncer(options: DebounceOptions): Debouncer {
  const kinds = new Set<Trigger>();
  let first = 0;
  let last = 0;
  let since: number | undefined;
  let cancel: (() => void) | undefined;

  const flush = () => {
    cancel?.();
    cancel = undefined;
    if (kinds.size === 0) return;
    debounceTime.observe((options.now() - first) / 1000);
    for (const type of kinds) pushTriggers.inc({ type });
    kinds.clear();
    since = first;
    try {
      options.publish();
    } finally {
      since = undefined;
    }
  };

  /** Runs when the quiet time may be over; later changes have moved its end meanwhile. */
  const check = () => {
    cancel = undefined;
    const now = options.now();
    const due = Math.min(last + options.after, first + options.max);
    const latest = Math.min(due + options.after, first + options.max);
    if (now < due) cancel = options.timer(check, due - now);
    else if (now < latest && options.expects?.()) cancel = options.timer(check, EXPECTING_MS);
    else flush();
  };

  const touchedAt = (told: number, changed: Iterable<Trigger>): void => {
    const now = options.now();
    const at = Math.min(told, now);
    if (kinds.size === 0) first = last = at;
    first = Math.min(first, at);
    last = Math.max(last, at);
    for (const kind of changed) kinds.add(kind);
    const endpointsOnly = [...kinds].every((kind) => kind === "endpoint");
    if (endpointsOnly && !options.endpointsWait) return flush();
    if (cancel !== undefined) return;
    // Never at once: what else was found at the same time is told next.
    cancel = options.timer(check, Math.max(0, at + Math.min(options.after, options.max) - now));
  };

  return {
    touch: (...changed) => touchedAt(options.now(), changed),
    touchedAt,
    flush,
    stop() {
      cancel?.();
      cancel = undefined;
      kinds.clear();
    },
    get waiting() {
      return kinds.size > 0;
    },
    get since() {
      return since;
    },
  };
}
