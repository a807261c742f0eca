/**
 * Memory of the streams of a connection that closed lately. What a late frame means depends on the
 * side that ended the stream: a peer that ended it breaks the protocol, and a peer whose stream was
 * reset by this side may not know it yet, RFC 9113 section 5.1.
 *
 * @module
 */

/** The side that closed a stream. `own` is also used for streams that were forgotten. */
export type Closer = "peer" | "own";

/** Closed streams of one connection. */
export interface ClosedStreams {
  add(id: number, closer: Closer): void;
  /** The side that closed a stream; `undefined` for a stream that was never open. */
  closerOf(id: number): Closer | undefined;
}

/** Streams that are remembered. */
const REMEMBERED = 256;

/** Makes an empty memory. */
export function closedStreams(): ClosedStreams {
  const closers = new Map<number, Closer>();
  /** Highest of the forgotten streams. */
  let forgotten = 0;
  return {
    add(id, closer) {
      closers.set(id, closer);
      if (closers.size <= REMEMBERED) return;
      const [oldest] = closers.keys();
      closers.delete(oldest!);
      forgotten = Math.max(forgotten, oldest!);
    },
    closerOf: (id) => closers.get(id) ?? (id <= forgotten ? "own" : undefined),
  };
}
