/**
 * The frames that go through a connection of the library, as they are seen on the wire: their heads
 * are read, and their bytes are passed on in pieces.
 *
 * @module
 */
import { freeBuffer } from "../../base/mod.ts";

/** Length of the client's preface, RFC 9113 section 3.4. */
const PREFACE = 24;
/** Length of a frame's head, RFC 9113 section 4.1. */
const HEAD = 9;

export interface FrameHead {
  readonly size: number;
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
}

/** Reads the bytes of one direction. */
export interface Inspector {
  /** Adds bytes. They must not change until {@link next} has returned them. */
  push(bytes: Uint8Array): void;
  /** Bytes that {@link next} has not processed. */
  readonly buffered: number;
  /**
   * The next piece to pass on: bytes of one frame at most. `undefined`: there are none. Pieces are
   * valid until {@link release}.
   */
  next(): Uint8Array | undefined;
  /** Frees the memory of own bytes whose pieces were all returned. */
  release(): void;
}

/**
 * Makes an inspector. `owns`: added bytes belong to the inspector, which frees them. `seen` gets
 * each head before any byte of its frame is passed on; when it returns false, the frame is left
 * out.
 */
export function frameInspector(
  options: { readonly preface: boolean; readonly owns?: boolean },
  seen: (head: FrameHead) => boolean,
): Inspector {
  /** Bytes of the preface or of a payload before the next head, and whether they are passed on. */
  let left = options.preface ? PREFACE : 0;
  let passes = true;
  const head = new Uint8Array(HEAD);
  let headSize = 0;
  const input = chunkQueue(options.owns === true);

  /** The next piece, of a head or of a payload. */
  const step = (): Uint8Array | undefined => {
    if (left > 0) {
      const part = input.take(left);
      left -= part.length;
      return passes ? part : undefined;
    }
    const part = input.take(HEAD - headSize);
    head.set(part, headSize);
    headSize += part.length;
    if (headSize < HEAD) return undefined;
    headSize = 0;
    const frame = parseHead(head);
    left = frame.size;
    passes = seen(frame);
    return passes ? head.slice() : undefined;
  };
  return {
    push: input.push,
    get buffered() {
      return input.buffered;
    },
    next() {
      while (input.buffered > 0) {
        const piece = step();
        if (piece) return piece;
      }
      return undefined;
    },
    release: input.release,
  };
}

/** Chunks of bytes in order. */
interface ChunkQueue {
  readonly buffered: number;
  push(bytes: Uint8Array): void;
  /** Takes up to `most` bytes out of the first chunk. There must be one. */
  take(most: number): Uint8Array;
  /** Frees the chunks that were taken completely, if the queue owns them. */
  release(): void;
}

function chunkQueue(owns: boolean): ChunkQueue {
  const chunks: Uint8Array[] = [];
  let used: Uint8Array[] = [];
  /** Position in the first chunk. */
  let at = 0;
  let buffered = 0;
  return {
    get buffered() {
      return buffered;
    },
    push(bytes) {
      if (bytes.length === 0) return;
      chunks.push(bytes);
      buffered += bytes.length;
    },
    take(most) {
      const [chunk] = chunks as [Uint8Array];
      const part = chunk.subarray(at, at + most);
      at += part.length;
      buffered -= part.length;
      if (at < chunk.length) return part;
      chunks.shift();
      at = 0;
      if (owns) used.push(chunk);
      return part;
    },
    release() {
      for (const chunk of used) freeBuffer(chunk);
      used = [];
    },
  };
}

function parseHead(bytes: Uint8Array): FrameHead {
  const view = new DataView(bytes.buffer);
  return {
    size: view.getUint32(0) >>> 8,
    type: bytes[3]!,
    flags: bytes[4]!,
    stream: view.getUint32(5) & 0x7fff_ffff,
  };
}
