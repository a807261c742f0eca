/**
 * Length-prefixed messages of gRPC: a flag for compression, a length of four bytes, the content.
 *
 * @module
 */
import { BUFFER_UNIT, recycleBuffer, takeBuffer } from "./buffer_pool.ts";
import { RpcError } from "./status.ts";

/** A message: its bytes, or the pieces that make it up, in order. They must not change afterwards. */
export type Outgoing = Uint8Array | readonly Uint8Array[];

/** Bytes before each message. */
export const MESSAGE_HEAD: number = 5;

/** A message with its head, in pieces. */
export function frameMessage(message: Outgoing, size: number): Uint8Array[] {
  const head = new Uint8Array(MESSAGE_HEAD);
  head[1] = size >>> 24;
  head[2] = size >>> 16;
  head[3] = size >>> 8;
  head[4] = size;
  return message instanceof Uint8Array ? [head, message] : [head, ...message];
}

/** Cuts content into messages. */
export interface MessageReader {
  /**
   * Takes in content; returns the messages that it completes. A caller that is done with a message,
   * all of it, may recycle it, see `recycleBuffer`. Throws `RpcError`; after that, and after
   * {@link MessageReader.stop}, content is ignored.
   */
  push(bytes: Uint8Array): Uint8Array[];
  /** Drops the message that is not complete, and ignores all further content. */
  stop(): void;
  /** Bytes of the message that is not complete, its head included. */
  readonly partial: number;
  /** Bytes of memory that it takes. */
  readonly memory: number;
}

/**
 * Growth of a partial message's buffer, which begins with one {@link BUFFER_UNIT}: a client that
 * announces a large message has to send a part of it, too. The buffer is at most so many times as
 * large as that part.
 */
const GROWTH = 4;

/** A reader of messages up to a size. */
export function messageReader(limit: number): MessageReader {
  return new Reader(limit);
}

class Reader implements MessageReader {
  readonly #limit: number;
  readonly #head = new Uint8Array(MESSAGE_HEAD);
  #headSize = 0;
  #size = 0;
  /** The buffer of the partial message, and its bytes so far. */
  #message = NOTHING;
  #have = 0;
  #stopped = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get partial(): number {
    return this.#headSize + this.#have;
  }

  get memory(): number {
    return this.#message.buffer.byteLength;
  }

  push(bytes: Uint8Array): Uint8Array[] {
    const messages: Uint8Array[] = [];
    if (this.#stopped) return messages;
    let at = 0;
    while (at < bytes.length || (this.#headSize === MESSAGE_HEAD && this.#have === this.#size)) {
      if (this.#headSize < MESSAGE_HEAD) {
        at += this.#readHead(bytes.subarray(at));
        continue;
      }
      const part = bytes.subarray(at, at + this.#size - this.#have);
      at += part.length;
      this.#append(part);
      if (this.#have < this.#size) continue;
      const message = this.#message;
      messages.push(this.#have === message.length ? message : message.subarray(0, this.#have));
      this.#restart();
    }
    return messages;
  }

  stop(): void {
    this.#stopped = true;
    recycleBuffer(this.#message);
    this.#restart();
  }

  #restart(): void {
    this.#message = NOTHING;
    this.#headSize = this.#size = this.#have = 0;
  }

  #fail(error: RpcError): never {
    this.stop();
    throw error;
  }

  /** Takes the head's bytes from the content; returns how many. */
  #readHead(bytes: Uint8Array): number {
    const head = this.#head;
    const part = bytes.subarray(0, MESSAGE_HEAD - this.#headSize);
    head.set(part, this.#headSize);
    this.#headSize += part.length;
    if (this.#headSize < MESSAGE_HEAD) return part.length;
    if (head[0] !== 0) {
      this.#fail(new RpcError("UNIMPLEMENTED", "compressed messages are not taken"));
    }
    const size = head[1]! * 2 ** 24 + head[2]! * 65_536 + head[3]! * 256 + head[4]!;
    const limit = this.#limit;
    if (size > limit) {
      const details = `a message of ${size} bytes, the limit is ${limit}`;
      this.#fail(new RpcError("RESOURCE_EXHAUSTED", details));
    }
    this.#size = size;
    this.#message = size < BUFFER_UNIT ? new Uint8Array(size) : takeBuffer(BUFFER_UNIT);
    return part.length;
  }

  /** Copies a part of the message: the received bytes are a part of a larger piece. */
  #append(part: Uint8Array): void {
    const needed = this.#have + part.length;
    if (needed > this.#message.length) {
      const grown = Math.max(GROWTH * this.#message.length, needed);
      const larger = takeBuffer(Math.min(this.#size, grown));
      larger.set(this.#message.subarray(0, this.#have));
      recycleBuffer(this.#message);
      this.#message = larger;
    }
    this.#message.set(part, this.#have);
    this.#have = needed;
  }
}

const NOTHING: Uint8Array<ArrayBuffer> = new Uint8Array(0);
