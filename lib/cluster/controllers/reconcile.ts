/**
 * The shell of a controller: it follows resource types and brings the server to a desired state, which
 * is computed from the whole observed state.
 *
 * @module
 */
import { type Backoff, pauseAfter, sleep } from "../../kit/async/mod.ts";
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { type Counter, counter } from "../../kit/metrics/mod.ts";
import {
  type Changes,
  follow,
  type Following,
  type ListItem,
  type OrchClient,
  type ResourceType,
  type Selection,
  trimmed,
} from "../../kit/orch/mod.ts";
import type { Pass } from "./writes.ts";

const log = scope("controllers");

/** Changes that arrive within this time are handled together, in milliseconds. */
const QUIET_MS = 50;
/** Pauses after a failed pass. */
const PAUSES: Backoff = { first: 320, longest: 10_000 };

const passes: Counter = counter({
  name: "mesh_controller_passes_total",
  help: "Passes of the controllers over their objects.",
  labels: ["controller", "result"],
});

const writes: Counter = counter({
  name: "mesh_controller_writes_total",
  help: "Objects that the controllers wrote or deleted.",
  labels: ["controller"],
});

const syncErrors: Counter = counter({
  name: "controller_sync_errors_total",
  help: "Passes of the controllers that failed.",
});

/** Manager under which the server records the fields that controllers write. */
export const MANAGER = "mesh-controllers";

/** The context of a controller in one term. */
export interface Term {
  readonly client: OrchClient;
  /** Aborted at the end of the term. */
  readonly signal: AbortSignal;
}

/** A controller in one term. */
export interface Reconciler {
  /** Name, in metrics and log lines. */
  readonly name: string;
  /** Types that are followed: their objects must be complete before the first pass. */
  readonly follows: readonly Pick<Following<unknown>, "synced" | "close">[];
  /** One pass: compares and writes; returns the number of writes. */
  readonly pass: (current: Pass) => Promise<number>;
  /** A pass happens at least after this time, in milliseconds. */
  readonly everyMs?: number;
}

/** Wakes the passes of a controller. */
export class Wake {
  #resolve: (() => void) | undefined;
  #pending = false;

  /** Demands a pass. */
  readonly poke = (): void => {
    this.#pending = true;
    this.#resolve?.();
  };

  /** Waits until a pass is demanded, `ms` are over, or `signal` is aborted. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    this.#resolve = () => stop.abort();
    if (!this.#pending) await sleep(ms, both);
    this.#resolve = undefined;
    // Further changes of the same moment are taken along.
    if (this.#pending) await sleep(QUIET_MS, signal);
    this.#pending = false;
  }
}

/**
 * Follows a type, trimmed, and wakes a controller when what `convert` leaves of an object changes, but
 * for its resource version. A type that the server does not have is empty.
 */
export function observe<T extends ListItem>(
  { client }: Pick<Term, "client">,
  type: ResourceType,
  { wake, selection, versions, convert, contentOf, changed }: {
    readonly wake: Wake;
    readonly selection?: Selection;
    /** See `FollowOptions`. */
    readonly versions?: readonly string[] | undefined;
    readonly convert?: (item: T) => T;
    /** The plain data of a value that count as a change; default: see `FollowOptions`. */
    readonly contentOf?: (value: T) => unknown;
    /** Called with changes before the controller is woken. Must not throw. */
    readonly changed?: (changes: Changes<T>) => void;
  },
): Following<T> {
  let wasAbsent = false;
  return follow<T>({
    client,
    type,
    optional: true,
    // A type that is defined later may have no objects whose arrival would wake the controller.
    stateChanged({ absent }) {
      if (absent !== wasAbsent) wake.poke();
      wasAbsent = absent;
    },
    ...(selection === undefined ? {} : { selection }),
    ...(versions === undefined ? {} : { versions }),
    ...(contentOf === undefined ? {} : { contentOf }),
    convert: (item) => {
      const small = trimmed(item) as T;
      return convert === undefined ? small : convert(small);
    },
    ...(convert === undefined ? {} : { contentOf: unversioned }),
    changed: (changes) => {
      changed?.(changes);
      wake.poke();
    },
  });
}

function unversioned<T extends ListItem>(item: T): T {
  const { resourceVersion: _, ...metadata } = item.metadata;
  return { ...item, metadata };
}

/** Runs passes until the end of the term. A failed pass is repeated with growing pauses. */
export async function reconcile(
  { signal }: Pick<Term, "signal">,
  wake: Wake,
  { name, follows, pass, everyMs = 60_000 }: Reconciler,
): Promise<void> {
  const ended = new Promise<void>((done) => {
    if (signal.aborted) done();
    signal.addEventListener("abort", () => done(), { once: true });
  });
  await Promise.race([Promise.all(follows.map(({ synced }) => synced)), ended]);
  let failures = 0;
  while (!signal.aborted) {
    try {
      writes.inc({ controller: name }, await pass({ signal, controller: name }));
      passes.inc({ controller: name, result: "success" });
      failures = 0;
    } catch (error) {
      passes.inc({ controller: name, result: "failure" });
      syncErrors.inc();
      if (failures === 0 && !signal.aborted) {
        log.warn("a controller cannot write; it tries again", {
          controller: name,
          reason: messageOf(error),
        });
      }
      failures++;
      await sleep(pauseAfter(failures, PAUSES), signal);
      continue;
    }
    await wake.wait(everyMs, signal);
  }
  await Promise.all(follows.map((one) => one.close()));
}
