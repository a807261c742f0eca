/**
 * The start of a connection: the headers of its first request.
 *
 * @module
 */
import { freeBuffer } from "../base/mod.ts";

/** Largest size of the headers, bytes; the runtime's server has the same limit. */
export const MAX_HEAD = 65_536;

const CR = 13;
const LF = 10;

/** A request line of HTTP/1 (RFC 9112, section 3). The preface of HTTP/2 has another version. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/1\.[01]$/;

/** The state of the headers: `foreign` is another protocol than HTTP/1. */
export type Head = "complete" | "foreign" | "incomplete" | "too large";

/** Counts the complete headers in what a client sends. Bodies count as headers, too. */
export class HeadScanner {
  /** Complete headers so far. */
  heads = 0;
  /** The bytes since the last line feed; `start` is before a request line. */
  #state: "carriage return" | "line feed" | "other" | "start" = "start";

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (byte === LF) {
        const isEmpty = this.#state === "line feed" || this.#state === "carriage return";
        if (isEmpty) this.heads++;
        if (this.#state !== "start") this.#state = isEmpty ? "start" : "line feed";
      } else if (byte !== CR) this.#state = "other";
      else if (this.#state !== "start") {
        this.#state = this.#state === "line feed" ? "carriage return" : "other";
      }
    }
  }
}

/** Collects bytes until the headers of a request are complete. */
export class HeadCollector {
  readonly #scanner: HeadScanner;
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #hasLine = false;

  constructor(scanner: HeadScanner) {
    this.#scanner = scanner;
  }

  /** The bytes so far, until more are added, without empty lines before the request line. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes;
  }

  /** Adds bytes, which are copied. */
  add(more: Uint8Array): Head {
    const before = this.#bytes.length;
    const first = before > 0 ? 0 : more.findIndex((byte) => byte !== CR && byte !== LF);
    if (first < 0) return "incomplete";
    // Larger memory takes the place of the old one, which is freed at once.
    const bytes = new Uint8Array(this.#bytes.buffer.transfer(before + more.length - first));
    bytes.set(more.subarray(first), before);
    this.#bytes = bytes;
    this.#scanner.add(more);
    if (!this.#hasLine && bytes.includes(LF)) {
      const line = new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(LF)));
      if (!REQUEST_LINE.test(line.replace(/\r$/, ""))) return "foreign";
      this.#hasLine = true;
    }
    if (this.#scanner.heads > 0) return "complete";
    return bytes.length > MAX_HEAD ? "too large" : "incomplete";
  }

  /** Frees the bytes. */
  discard(): void {
    freeBuffer(this.take());
  }

  /** Gives the bytes and keeps none. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#bytes;
    this.#bytes = new Uint8Array(0);
    return bytes;
  }
}
