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
  const head = new Uint8Array(MESSAGE_HEAD);
  let headSize = 0;
  let size = 0;
  /** The buffer of the partial message, and its bytes so far. */
  let message = NOTHING;
  let have = 0;
  let stopped = false;

  const stop = (): void => {
    stopped = true;
    recycleBuffer(message);
    message = NOTHING;
    headSize = size = have = 0;
  };
  const fail = (error: RpcError): never => {
    stop();
    throw error;
  };
  /** Takes the head's bytes from the content; returns how many. */
  const readHead = (bytes: Uint8Array): number => {
    const part = bytes.subarray(0, MESSAGE_HEAD - headSize);
    head.set(part, headSize);
    headSize += part.length;
    if (headSize < MESSAGE_HEAD) return part.length;
    if (head[0] !== 0) fail(new RpcError("UNIMPLEMENTED", "compressed messages are not taken"));
    size = head[1]! * 2 ** 24 + head[2]! * 65_536 + head[3]! * 256 + head[4]!;
    if (size > limit) {
      fail(new RpcError("RESOURCE_EXHAUSTED", `a message of ${size} bytes, the limit is ${limit}`));
    }
    message = size < BUFFER_UNIT ? new Uint8Array(size) : takeBuffer(BUFFER_UNIT);
    return part.length;
  };
  /** Copies a part of the message: the received bytes are a part of a larger piece. */
  const append = (part: Uint8Array): void => {
    if (have + part.length > message.length) {
      const larger = takeBuffer(
        Math.min(size, Math.max(GROWTH * message.length, have + part.length)),
      );
      larger.set(message.subarray(0, have));
      recycleBuffer(message);
      message = larger;
    }
    message.set(part, have);
    have += part.length;
  };

  return {
    push(bytes) {
      const messages: Uint8Array[] = [];
      if (stopped) return messages;
      let at = 0;
      while (at < bytes.length || (headSize === MESSAGE_HEAD && have === size)) {
        if (headSize < MESSAGE_HEAD) {
          at += readHead(bytes.subarray(at));
          continue;
        }
        const part = bytes.subarray(at, at + size - have);
        at += part.length;
        append(part);
        if (have < size) continue;
        messages.push(have === message.length ? message : message.subarray(0, have));
        message = NOTHING;
        headSize = size = have = 0;
      }
      return messages;
    },
    stop,
    get partial() {
      return headSize + have;
    },
    get memory() {
      return message.buffer.byteLength;
    },
  };
}

const NOTHING: Uint8Array<ArrayBuffer> = new Uint8Array(0);
