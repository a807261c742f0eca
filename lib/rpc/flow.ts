/**
 * Both directions of a bidirectional stream, bounded: what is written counts until the transport
 * took it (HTTP/2 flow control included), what arrives is read only when asked for.
 *
 * @module
 */
import { Buffer } from "node:buffer";

/** What is used of the library's writable streams. */
interface Sink {
  readonly writableEnded: boolean;
  readonly destroyed: boolean;
  write(message: Outgoing, taken: () => void): boolean;
}

/** What is used of the library's readable streams. */
interface Source {
  on(event: "data", listener: (message: Uint8Array) => void): unknown;
  once(event: "end", listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** A message: its bytes, or the pieces that make it up, in order. Pieces are copied once, on sending. */
export type Outgoing = Uint8Array | readonly Uint8Array[];

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

/** The writing side over a stream of the library's. `release` is to be called when the stream ended. */
export function outbox(
  stream: Sink,
  highWater: number = HIGH_WATER,
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
      if (ended || stream.writableEnded || stream.destroyed) return true;
      const size = byteLength(message);
      pending += size;
      stream.write(message, () => {
        pending -= size;
        if (waiting.length > 0 && pending <= highWater / 2) wake();
      });
      return pending < highWater;
    },
    drained: () =>
      ended || pending <= highWater / 2
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

/** A message as one Buffer; no copy when it is one piece. */
export function toBuffer(message: Outgoing): Buffer {
  if (message instanceof Uint8Array) {
    return Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  }
  return Buffer.concat(message);
}

/**
 * A message for the server side of the library, which asks for the length and then copies the
 * message behind its frame header. Pieces are copied right there, so that a large response costs
 * one copy of its bytes and not two.
 */
export function toFrame(message: Outgoing): Buffer {
  if (message instanceof Uint8Array) return toBuffer(message);
  const frame = {
    byteLength: byteLength(message),
    copy(target: Uint8Array, at: number): number {
      for (const part of message) {
        target.set(part, at);
        at += part.byteLength;
      }
      return frame.byteLength;
    },
  };
  return frame as unknown as Buffer;
}

/** What arrived on a stream, in order; see {@link inbox}. */
export interface Inbox extends AsyncIterable<Uint8Array> {
  /** No more messages; with an error, whoever reads gets it after what already arrived. */
  finish(error?: Error): void;
}

/**
 * The reading side: an iterable for one reader. While nobody asks, the stream is paused, so that
 * flow control holds the peer back; leaving the loop early drops what is left.
 */
export function inbox(stream: Source): Inbox {
  const queue: Uint8Array[] = [];
  let done = false;
  let failure: Error | undefined;
  let reader: ((step: "step") => void) | undefined;
  const wake = () => {
    reader?.("step");
    reader = undefined;
  };
  stream.on("data", (message: Uint8Array) => {
    queue.push(message);
    if (!reader) stream.pause();
    wake();
  });
  stream.pause();
  const finish = (error?: Error) => {
    if (done) return;
    done = true;
    failure = error;
    wake();
  };
  stream.once("end", () => finish());
  return {
    finish,
    async *[Symbol.asyncIterator]() {
      try {
        while (true) {
          const message = queue.shift();
          if (message) {
            yield message;
          } else if (done) {
            if (failure) throw failure;
            return;
          } else {
            const arrival = new Promise((resolve) => reader = resolve);
            stream.resume();
            await arrival;
          }
        }
      } finally {
        done = true;
        queue.length = 0;
      }
    },
  };
}
