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
    const due = Math.min(last + options.after, first + options.max);
    const wait = due - options.now();
    if (wait <= 0) flush();
    else cancel = options.timer(check, wait);
  };

  return {
    touch(...changed) {
      const now = options.now();
      if (kinds.size === 0) first = now;
      last = now;
      const waited = cancel !== undefined;
      for (const kind of changed) kinds.add(kind);
      const endpointsOnly = [...kinds].every((kind) => kind === "endpoint");
      if (endpointsOnly && !options.endpointsWait) flush();
      else if (!waited) cancel = options.timer(check, Math.min(options.after, options.max));
    },
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
