/**
 * Publishing what waits, in pieces, so that a large change holds nobody up: one
 * after the other, each with everything that has come until it begins.
 *
 * @module
 */
import type { ChangeSet, Translation } from "../../lib/translate/mod.ts";

/** Milliseconds of a piece: a fraction of the longest that anybody should have to wait. */
const PIECE = 5;

/** Publishes. */
export interface Publisher {
  /** Publishes what waits; a small change at once, else beginning at once. */
  publish(): void;
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
  /** When the first change of what waits came. */
  readonly since: () => number | undefined;
}

/** A publisher with nothing to do. */
export function createPublisher({ translation, take, since }: PublisherOptions): Publisher {
  let busy = false;
  let again = false;
  let first: number | undefined;
  let last = Promise.resolve();
  const run = async (): Promise<void> => {
    busy = true;
    try {
      do {
        again = false;
        await translation.applyInPieces(take(), { millis: PIECE, pause });
        first = undefined;
      } while (again);
    } finally {
      busy = false;
      first = undefined;
    }
  };
  return {
    publish: () => {
      first ??= since();
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
