/**
 * Both directions of a bidirectional stream, bounded: what is written counts until the transport
 * took it (flow control included), what arrives gives the peer credit only when it is read.
 *
 * @module
 */
import { frameMessage, MESSAGE_HEAD, messageReader, type Outgoing } from "./message.ts";

/** The writing side of a stream. */
export interface Outbox {
  /**
   * Queues a message. False: more than the high-water mark is waiting, and the caller should
   * await {@link drained} before the next one. After the end of the stream, nothing happens.
   */
  send(message: Outgoing): boolean;
  /** Resolves when at most half the high-water mark is waiting, or the stream ended. */
  drained(): Promise<void>;
  /** Bytes queued that the transport did not take yet. */
  readonly pending: number;
}

/** Bytes that may wait in a stream before `send` answers false. */
export const HIGH_WATER: number = 128 * 1024;

/** The writing side over a transport. `release` is to be called when the stream ended. */
export function outbox(
  transmit: (parts: readonly Uint8Array[], taken: () => void) => void,
): Outbox & { release(): void } {
  let pending = 0;
  let ended = false;
  let waiting: (() => void)[] = [];
  const wake = () => {
    const all = waiting;
    waiting = [];
    for (const resolve of all) resolve();
  };
  return {
    send(message) {
      if (ended) return true;
      const size = byteLength(message);
      pending += size;
      transmit(frameMessage(message, size), () => {
        pending -= size;
        if (waiting.length > 0 && pending <= HIGH_WATER / 2) wake();
      });
      return pending < HIGH_WATER;
    },
    drained: () =>
      ended || pending <= HIGH_WATER / 2
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push(resolve)),
    get pending() {
      return ended ? 0 : pending;
    },
    release() {
      ended = true;
      wake();
    },
  };
}

/** Length of a message in bytes. */
export function byteLength(message: Outgoing): number {
  if (message instanceof Uint8Array) return message.byteLength;
  let size = 0;
  for (const part of message) size += part.byteLength;
  return size;
}

/** What a waiting message costs beside its bytes, about: empty ones are not free. */
const OVERHEAD = 128;

function heldFor(message: Uint8Array): number {
  return MESSAGE_HEAD + message.length + OVERHEAD;
}

/** How a stream's receiver holds its peer back. */
export interface ReceiveWindow {
  /** Lets the peer send so many bytes more. */
  credit(bytes: number): void;
  /** Counts bytes that are kept in memory for the stream; negative when they are released. */
  hold(bytes: number): void;
}

/** What arrived on a stream, in order; see {@link inbox}. */
export interface Inbox extends AsyncIterable<Uint8Array> {
  /** Takes in content of the stream. Throws `RpcError` for what is no message, or too large. */
  push(bytes: Uint8Array): void;
  /** No more messages; with an error, whoever reads gets it after what already arrived. */
  finish(error?: Error): void;
}

/**
 * The reading side: an iterable for one reader. The peer gets credit for a message when it is
 * read, and for parts of the next one while none waits to be read: it may be larger than the
 * window. Leaving the loop early drops what is left.
 */
export function inbox(stream: ReceiveWindow, limit: number): Inbox {
  const reader = messageReader(limit);
  const queue: { message: Uint8Array; owed: number }[] = [];
  /** Credit given for parts of the message that is not complete. */
  let credited = 0;
  let done = false;
  let failure: Error | undefined;
  let wake = () => {};
  const creditPartial = () => {
    if (queue.length > 0) return;
    stream.credit(reader.partial - credited);
    credited = reader.partial;
  };
  return {
    push(bytes) {
      stream.hold(bytes.length);
      for (const message of reader.push(bytes)) {
        const size = MESSAGE_HEAD + message.length;
        if (done) {
          stream.hold(-size);
        } else {
          queue.push({ message, owed: size - credited });
          stream.hold(OVERHEAD);
        }
        credited = 0;
      }
      creditPartial();
      wake();
    },
    finish(error) {
      if (done) return;
      done = true;
      failure = error;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      try {
        while (true) {
          const next = queue.shift();
          if (next) {
            stream.hold(-heldFor(next.message));
            stream.credit(next.owed);
            creditPartial();
            yield next.message;
          } else if (done) {
            if (failure) throw failure;
            return;
          } else {
            await new Promise<void>((resolve) => wake = resolve);
          }
        }
      } finally {
        done = true;
        for (const { message } of queue) stream.hold(-heldFor(message));
        queue.length = 0;
      }
    },
  };
}
