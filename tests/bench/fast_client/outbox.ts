/**
 * Content that a client sends on its one stream, as the windows of the server allow it.
 *
 * @module
 */

/** Windows before the server says otherwise, RFC 9113 section 6.9.2. */
const DEFAULT_WINDOW = 65_535;
/** The setting of the stream's window. */
const INITIAL_WINDOW_SIZE = 4;
const SETTING_BYTES = 6;

/** Pieces of content that wait for the windows. */
export class Outbox {
  readonly #write: (piece: Uint8Array) => void;
  #waiting: Uint8Array[] = [];
  #initial = DEFAULT_WINDOW;
  #connection = DEFAULT_WINDOW;
  #stream = DEFAULT_WINDOW;

  /** @param write sends a piece as a frame */
  constructor(write: (piece: Uint8Array) => void) {
    this.#write = write;
  }

  /** Sends pieces, now or when the windows allow it. */
  send(pieces: readonly Uint8Array[]): void {
    this.#waiting.push(...pieces);
    this.#flush();
  }

  /** Takes the payload of the server's settings. */
  settings(payload: Uint8Array): void {
    const view = new DataView(payload.buffer, payload.byteOffset, payload.length);
    for (let at = 0; at + SETTING_BYTES <= payload.length; at += SETTING_BYTES) {
      if (view.getUint16(at) !== INITIAL_WINDOW_SIZE) continue;
      const size = view.getUint32(at + 2);
      this.#stream += size - this.#initial;
      this.#initial = size;
    }
    this.#flush();
  }

  /** Takes the payload of a window update. */
  credit(stream: number, payload: Uint8Array): void {
    const size = new DataView(payload.buffer, payload.byteOffset, payload.length).getUint32(0);
    if (stream === 0) this.#connection += size;
    else this.#stream += size;
    this.#flush();
  }

  #flush(): void {
    let sent = 0;
    for (const piece of this.#waiting) {
      if (piece.length > Math.min(this.#connection, this.#stream)) break;
      this.#connection -= piece.length;
      this.#stream -= piece.length;
      this.#write(piece);
      sent++;
    }
    this.#waiting = this.#waiting.slice(sent);
  }
}
