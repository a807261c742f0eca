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
  return new Reader(expectPreface, used);
}

class Reader implements FrameReader {
  readonly #used: (piece: Uint8Array) => void;
  /** Pieces in order, and the offset in the first one. */
  readonly #pieces: Uint8Array[] = [];
  #at = 0;
  /** A frame, a head or the preface that spans pieces: as many bytes as it is known to have. */
  #begun: Uint8Array;
  #size = 0;
  #preface: boolean;
  /** The last piece, if its last frame is in use until the next call. */
  #finished: Uint8Array | undefined;

  constructor(expectPreface: boolean, used: (piece: Uint8Array) => void) {
    this.#preface = expectPreface;
    this.#used = used;
    this.#begun = new Uint8Array(expectPreface ? PREFACE.length : HEAD);
  }

  push(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#pieces.push(bytes);
  }

  next(): Frame | undefined {
    this.#releaseFinished();
    if (this.#preface && !this.#readPreface()) return undefined;
    const piece = this.#pieces[0];
    const at = this.#at;
    if (this.#size === 0 && piece && piece.length - at >= HEAD) {
      const end = at + frameSize(piece, at);
      if (end <= piece.length) {
        const frame = frameAt(piece, at, end);
        this.#advance(end - at);
        return frame;
      }
    }
    return this.#nextBegun();
  }

  discard(): void {
    this.#releaseFinished();
    for (const piece of this.#pieces.splice(0)) this.#used(piece);
    this.#at = 0;
  }

  get buffered(): number {
    return this.#pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  #advance(count: number): void {
    this.#at += count;
    if (this.#at < this.#pieces[0]!.length) return;
    this.#finished = this.#pieces.shift();
    this.#at = 0;
  }

  #releaseFinished(): void {
    if (!this.#finished) return;
    this.#used(this.#finished);
    this.#finished = undefined;
  }

  /** Moves bytes into `#begun`. Returns whether it is full. */
  #fill(): boolean {
    while (this.#size < this.#begun.length) {
      const piece = this.#pieces[0];
      if (!piece) return false;
      const part = piece.subarray(this.#at, this.#at + this.#begun.length - this.#size);
      this.#begun.set(part, this.#size);
      this.#size += part.length;
      this.#advance(part.length);
      this.#releaseFinished();
    }
    return true;
  }

  #restart(): void {
    this.#begun = new Uint8Array(HEAD);
    this.#size = 0;
  }

  #readPreface(): boolean {
    const full = this.#fill();
    if (!startsLikePreface(this.#begun, this.#size)) {
      throw protocolError("the peer does not speak HTTP/2");
    }
    if (!full) return false;
    this.#preface = false;
    this.#restart();
    return true;
  }

  /** The frame that spans pieces. */
  #nextBegun(): Frame | undefined {
    if (!this.#fill()) return undefined;
    if (this.#begun.length === HEAD) {
      const whole = new Uint8Array(frameSize(this.#begun, 0));
      whole.set(this.#begun);
      this.#begun = whole;
      if (!this.#fill()) return undefined;
    }
    const frame = frameAt(this.#begun, 0, this.#begun.length);
    this.#restart();
    return frame;
  }
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
