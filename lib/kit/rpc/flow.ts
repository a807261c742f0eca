/**
 * Both directions of a bidirectional stream, bounded: written bytes count until the transport took
 * them (flow control included), and the peer gets credit for received bytes when they are read.
 *
 * @module
 */
import { recycleBuffer } from "./buffer_pool.ts";
import {
  frameMessage,
  MESSAGE_HEAD,
  type MessageReader,
  messageReader,
  type Outgoing,
} from "./message.ts";

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

/** Approximate memory of a waiting message in addition to its bytes. */
const OVERHEAD = 128;

function memoryOf({ buffer }: Uint8Array): number {
  return buffer.byteLength + OVERHEAD;
}

/** A stream's receiver as the inbox uses it. */
export interface ReceiveWindow {
  /** Lets the peer send more bytes. */
  credit(bytes: number): void;
  /** Counts bytes that are kept in memory for the stream; negative when they are released. */
  hold(bytes: number): void;
}

/** Messages that arrived on a stream, in order; see {@link inbox}. */
export interface Inbox extends AsyncIterable<Uint8Array> {
  /**
   * Takes in content of the stream; returns how many messages it completed. Throws `RpcError` for
   * content that is no message, or one that is too large. After the end, content is dropped.
   */
  push(bytes: Uint8Array): number;
  /** No more messages; with an error, the reader gets it after those that already arrived. */
  finish(error?: Error): void;
}

/** A waiting message, and the credit that its reading gives. */
interface Waiting {
  readonly message: Uint8Array;
  readonly owed: number;
}

/**
 * The reading side: an iterable for one reader. The peer gets credit for a message when it is
 * read, and for parts of the next one while none waits to be read: it may be larger than the
 * window. Leaving the loop early drops the rest.
 */
export function inbox(stream: ReceiveWindow, limit: number): Inbox {
  return new Received(stream, limit);
}

class Received implements Inbox {
  readonly #stream: ReceiveWindow;
  readonly #reader: MessageReader;
  readonly #queue: Waiting[] = [];
  /** Credit given for parts of the message that is not complete. */
  #credited = 0;
  /** Memory of the partial message, as it is counted. */
  #counted = 0;
  #done = false;
  #failure: Error | undefined;
  #wake: () => void = () => {};

  constructor(stream: ReceiveWindow, limit: number) {
    this.#stream = stream;
    this.#reader = messageReader(limit);
  }

  push(bytes: Uint8Array): number {
    if (this.#done) return 0;
    const messages = this.#reader.push(bytes);
    for (const message of messages) {
      this.#queue.push({ message, owed: MESSAGE_HEAD + message.length - this.#credited });
      this.#stream.hold(memoryOf(message));
      this.#credited = 0;
    }
    this.#countPartial();
    this.#creditPartial();
    if (messages.length > 0) this.#wake();
    return messages.length;
  }

  finish(error?: Error): void {
    if (this.#done) return;
    this.#done = true;
    this.#failure = error;
    this.#reader.stop();
    this.#countPartial();
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      while (true) {
        const next = this.#queue.shift();
        if (next) {
          yield this.#take(next);
        } else if (this.#done) {
          if (this.#failure) throw this.#failure;
          return;
        } else {
          await new Promise<void>((resolve) => this.#wake = resolve);
        }
      }
    } finally {
      this.finish();
      for (const { message } of this.#queue) {
        this.#stream.hold(-memoryOf(message));
        recycleBuffer(message);
      }
      this.#queue.length = 0;
    }
  }

  #take(next: Waiting): Uint8Array {
    this.#stream.hold(-memoryOf(next.message));
    this.#stream.credit(next.owed);
    if (!this.#done) this.#creditPartial();
    return next.message;
  }

  #countPartial(): void {
    const change = this.#reader.memory - this.#counted;
    this.#counted += change;
    if (change !== 0) this.#stream.hold(change);
  }

  #creditPartial(): void {
    if (this.#queue.length > 0) return;
    const credit = this.#reader.partial - this.#credited;
    this.#credited = this.#reader.partial;
    if (credit !== 0) this.#stream.credit(credit);
  }
}
