/**
 * Publishing what waits, in pieces, so that a large change holds nobody up: one
 * after the other, each with everything that has come until it begins.
 *
 * @module
 */
import { histogram } from "../../lib/metrics/mod.ts";
import type { ChangeSet, Translation } from "../../lib/translate/mod.ts";

/** Milliseconds of a piece: a fraction of the longest that anybody should have to wait. */
const PIECE = 5;

/** How long it takes to work out what a change means, before anybody is sent it. */
const seconds = histogram({
  name: "pilot_pushcontext_init_seconds",
  help: "Seconds from the taking of changes until what came out of them was published.",
  buckets: [.01, .1, .5, 1, 3, 5],
});

/** Publishes. */
export interface Publisher {
  /**
   * Publishes the waiting changes; a small change at once, a large one beginning at once.
   *
   * @param since when the first of them was seen
   */
  publish(since: number): void;
  /** Whether a publication is under way. */
  readonly busy: boolean;
  /** While something is published: when the first change of it came. */
  readonly since: number | undefined;
  /** Ends once nothing is under way. */
  idle(): Promise<void>;
}

/** What it works with. */
export interface PublisherOptions {
  readonly translation: Pick<Translation, "applyInPieces">;
  /** Hands over what waits. */
  readonly take: () => ChangeSet;
  /** Milliseconds since any moment. */
  readonly now: () => number;
}

/** A publisher with nothing to do. */
export function createPublisher({ translation, take, now }: PublisherOptions): Publisher {
  let busy = false;
  let again = false;
  let first: number | undefined;
  let last = Promise.resolve();
  const run = async (): Promise<void> => {
    busy = true;
    try {
      do {
        again = false;
        const began = now();
        await translation.applyInPieces(take(), { millis: PIECE, pause });
        seconds.observe((now() - began) / 1000);
        first = undefined;
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
    get busy() {
      return busy;
    },
    get since() {
      return first;
    },
    idle: () => last,
  };
}

/** Lets timers and sockets have their turn. */
function pause(): Promise<void> {
  return new Promise((resume) => setTimeout(resume, 0));
}
