/**
 * What stands between a socket and the library: it takes GOAWAY frames of clients out.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** Length of the client's preface; RFC 9113 section 3.4. */
const PREFACE = 24;
/** Length of a frame's head, and the type GOAWAY; RFC 9113 sections 4.1 and 6.8. */
const HEAD = 9;
const GOAWAY = 7;

/**
 * A connection for the library. The platform's HTTP/2 of Deno 2.9.6 ends the process when clients reset
 * streams and then send GOAWAY (denoland/deno#36788). A GOAWAY of a client tells a server nothing that it
 * needs: there are no streams of the server's, and the client closes the connection by itself.
 */
export class Front extends Duplex {
  readonly #socket: Socket;
  /** For the library, which asks its socket for them. */
  readonly remoteAddress: string | undefined;
  readonly remotePort: number | undefined;

  constructor(socket: Socket) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    this.remoteAddress = socket.remoteAddress;
    this.remotePort = socket.remotePort;
    const pass = goAwayFilter();
    socket.on("data", (bytes: Buffer) => {
      for (const part of pass(bytes)) {
        if (!this.push(part)) socket.pause();
      }
    });
    socket.on("end", () => this.push(null));
    socket.on("error", () => this.destroy());
    socket.on("close", () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(
    bytes: Uint8Array,
    _encoding: string,
    done: (error?: Error | null) => void,
  ): void {
    this.#socket.write(bytes, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

/** Gives the parts of a client's bytes, as they come, that belong to no GOAWAY frame. */
export function goAwayFilter(): (bytes: Uint8Array) => Uint8Array[] {
  /** Bytes of the preface or of a payload that come before the next head, and whether they pass. */
  let left = PREFACE;
  let passes = true;
  const head = Buffer.alloc(HEAD);
  let headSize = 0;
  return (bytes) => {
    const parts: Uint8Array[] = [];
    for (let at = 0; at < bytes.length;) {
      if (left > 0) {
        const part = bytes.subarray(at, at + left);
        if (passes) parts.push(part);
        left -= part.length;
        at += part.length;
        continue;
      }
      const part = bytes.subarray(at, at + HEAD - headSize);
      head.set(part, headSize);
      headSize += part.length;
      at += part.length;
      if (headSize < HEAD) break;
      headSize = 0;
      left = head.readUIntBE(0, 3);
      passes = head[3] !== GOAWAY;
      if (passes) parts.push(Buffer.from(head));
    }
    return parts;
  };
}
