/**
 * Publications: waiting changes are written and published in pieces, so that a large change does not
 * block the event loop. One publication at a time; changes that arrive meanwhile go into the next.
 *
 * @module
 */
import type { ChangeSet } from "./changes.ts";
import type { TableWriter } from "./writer.ts";

/** Milliseconds of one piece of work, a fraction of the longest acceptable delay of other work. */
const PIECE_MS = 5;

/** The part of the system that publishes what the tables have. */
export interface PublishTarget {
  /** Computes some of what the next publication needs, in about `ms`; true when nothing is left. */
  precompute(ms: number): boolean;
  /** Publishes everything that was written. */
  publish(): void;
  /** Drops what is beyond the bounds of memory, in about `ms`; true when nothing is left. */
  tidy(ms: number): boolean;
}

/** Publishes changes. */
export interface Publisher {
  /**
   * Publishes the waiting changes: a small change before it returns, a large one in pieces.
   *
   * @param since when the first of them was seen
   */
  publish(since: number): void;
  /** True while a publication is in progress. */
  readonly busy: boolean;
  /** During a publication: when the first of its changes was seen. */
  readonly since: number | undefined;
  /** Runs a function at once, or when the publication in progress has ended and before the next one. */
  between(run: () => void): void;
  /** Resolves when no publication is in progress. */
  idle(): Promise<void>;
}

/** Dependencies of a publisher. */
export interface PublisherOptions {
  readonly writer: Pick<TableWriter, "writeInPieces">;
  readonly target: PublishTarget;
  /** Takes the waiting changes. */
  readonly take: () => ChangeSet;
  /** Milliseconds since any moment. */
  readonly now: () => number;
  /** Resolves after timers and sockets had a turn. */
  readonly pause: () => Promise<void>;
  /** Called after each publication with its duration, in milliseconds. */
  readonly onPublished?: (ms: number) => void;
}

/** Writes and publishes changes in pieces. A change that fits into one piece takes no pause. */
export async function publishInPieces(
  { writer, target, pause, now, millis = PIECE_MS }:
    & Pick<PublisherOptions, "writer" | "target" | "pause" | "now">
    & { readonly millis?: number },
  changes: ChangeSet,
): Promise<void> {
  const begin = () => {
    const end = now() + millis;
    return () => now() >= end;
  };
  for (const _ of writer.writeInPieces(changes, begin)) await pause();
  while (!target.precompute(millis)) await pause();
  target.publish();
  while (!target.tidy(millis)) await pause();
}

export function createPublisher(options: PublisherOptions): Publisher {
  const { now } = options;
  let busy = false;
  let again = false;
  let first: number | undefined;
  let last = Promise.resolve();
  const waiting: (() => void)[] = [];
  const publishOnce = async (): Promise<void> => {
    const began = now();
    await publishInPieces(options, options.take());
    options.onPublished?.(now() - began);
  };
  const run = async (): Promise<void> => {
    busy = true;
    try {
      do {
        again = false;
        await publishOnce();
        first = undefined;
        for (const other of waiting.splice(0)) other();
      } while (again);
    } finally {
      busy = false;
      first = undefined;
    }
  };
  return {
    publish: (since) => {
      first ??= since;
      if (busy) again = true;
      else last = run();
    },
    between: (run) => {
      if (busy) waiting.push(run);
      else run();
    },
    get busy() {
      return busy;
    },
    get since() {
      return first;
    },
    idle: () => last,
  };
}
