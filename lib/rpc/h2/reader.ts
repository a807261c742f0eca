/**
 * Cuts received bytes into frames.
 *
 * @module
 */
import { H2Error, protocolError } from "./error.ts";
import { type Frame, HEAD, MAX_FRAME, PREFACE, readUint31 } from "./frame.ts";

/** Received bytes on one side, frames on the other. */
export interface FrameReader {
  /** Adds received bytes, which must not change afterwards. */
  push(bytes: Uint8Array): void;
  /**
   * Takes the next frame; `undefined` until more bytes come. Throws `H2Error`. A frame is valid until
   * the next call.
   */
  next(): Frame | undefined;
  /** Releases all pieces. */
  discard(): void;
  /** Bytes of pieces that no frame was cut from yet. */
  readonly buffered: number;
}

/**
 * A reader; that of a server expects the client's preface first. `used` is called with each piece
 * of received bytes that no frame needs any more.
 */
export function frameReader(
  expectPreface: boolean,
  used: (piece: Uint8Array) => void = () => {},
): FrameReader {
  /** Pieces in order, and the offset in the first one. */
  const pieces: Uint8Array[] = [];
  let at = 0;
  /** A frame, a head or the preface that spans pieces: as many bytes as it is known to have. */
  let begun: Uint8Array = new Uint8Array(expectPreface ? PREFACE.length : HEAD);
  let size = 0;
  let preface = expectPreface;
  /** The last piece, if its last frame is in use until the next call. */
  let finished: Uint8Array | undefined;

  const advance = (count: number): void => {
    at += count;
    if (at < pieces[0]!.length) return;
    finished = pieces.shift();
    at = 0;
  };
  const releaseFinished = (): void => {
    if (!finished) return;
    used(finished);
    finished = undefined;
  };
  /** Moves bytes into `begun`. Returns whether it is full. */
  const fill = (): boolean => {
    while (size < begun.length) {
      const [piece] = pieces;
      if (!piece) return false;
      const part = piece.subarray(at, at + begun.length - size);
      begun.set(part, size);
      size += part.length;
      advance(part.length);
      releaseFinished();
    }
    return true;
  };
  const restart = (): void => {
    begun = new Uint8Array(HEAD);
    size = 0;
  };
  const readPreface = (): boolean => {
    const full = fill();
    if (!startsLikePreface(begun, size)) throw protocolError("the peer does not speak HTTP/2");
    if (!full) return false;
    preface = false;
    restart();
    return true;
  };
  /** The frame that spans pieces. */
  const nextBegun = (): Frame | undefined => {
    if (!fill()) return undefined;
    if (begun.length === HEAD) {
      const whole = new Uint8Array(frameSize(begun, 0));
      whole.set(begun);
      begun = whole;
      if (!fill()) return undefined;
    }
    const frame = frameAt(begun, 0, begun.length);
    restart();
    return frame;
  };
  return {
    push(bytes) {
      if (bytes.length > 0) pieces.push(bytes);
    },
    next() {
      releaseFinished();
      if (preface && !readPreface()) return undefined;
      const [piece] = pieces;
      if (size === 0 && piece && piece.length - at >= HEAD) {
        const end = at + frameSize(piece, at);
        if (end <= piece.length) {
          const frame = frameAt(piece, at, end);
          advance(end - at);
          return frame;
        }
      }
      return nextBegun();
    },
    discard() {
      releaseFinished();
      for (const piece of pieces.splice(0)) used(piece);
      at = 0;
    },
    get buffered() {
      return pieces.reduce((sum, piece) => sum + piece.length, 0);
    },
  };
}

/** Bytes of the frame that begins at an offset, its head included. Throws `H2Error`. */
function frameSize(bytes: Uint8Array, at: number): number {
  const size = bytes[at]! * 65_536 + bytes[at + 1]! * 256 + bytes[at + 2]!;
  if (size > MAX_FRAME) throw new H2Error("FRAME_SIZE_ERROR", "a frame is too large");
  return HEAD + size;
}

function frameAt(bytes: Uint8Array, at: number, end: number): Frame {
  return {
    type: bytes[at + 3]!,
    flags: bytes[at + 4]!,
    stream: readUint31(bytes, at + 5),
    payload: bytes.subarray(at + HEAD, end),
  };
}

function startsLikePreface(bytes: Uint8Array, size: number): boolean {
  for (let i = 0; i < size; i++) if (bytes[i] !== PREFACE[i]) return false;
  return true;
}
