/**
 * For tests: a peer that speaks raw frames over a real socket.
 *
 * @module
 */
import { codeOf, type H2Code } from "./error.ts";
import {
  FLAG,
  FRAME,
  type Frame,
  frame,
  headerFrames,
  PREFACE,
  readUint31,
  settingsFrame,
} from "./frame.ts";
import { encodeHeaders, type Headers, hpackDecoder } from "./hpack.ts";
import { frameReader } from "./reader.ts";

/** The headers of a gRPC request. */
export function requestHeaders(path: string): Headers {
  return [
    [":method", "POST"],
    [":scheme", "http"],
    [":path", path],
    [":authority", "x"],
    ["content-type", "application/grpc"],
  ];
}

/** A HEADERS frame with a block, and CONTINUATION frames where it is long. */
export function headersOf(stream: number, headers: Headers, end = false): Uint8Array {
  return join(headerFrames(stream, encodeHeaders(headers), { end }));
}

/** A DATA frame with one message of gRPC. */
export function messageOf(stream: number, content: Uint8Array, end = false): Uint8Array {
  const payload = new Uint8Array(5 + content.length);
  new DataView(payload.buffer).setUint32(1, content.length);
  payload.set(content, 5);
  return frame(FRAME.DATA, end ? FLAG.END_STREAM : 0, stream, payload);
}

/** Bytes in a row. */
export function join(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** The same bytes, repeated. */
export function times(count: number, part: Uint8Array): Uint8Array {
  return join(Array.from({ length: count }, () => part));
}

/** Preface and empty SETTINGS. */
export const HELLO: Uint8Array = join([PREFACE, settingsFrame([])]);

/** A connection whose other end is the server. */
export interface RawPeer {
  /** Received frames. */
  readonly frames: readonly Frame[];
  /** Decoded header blocks by their frames. */
  readonly headers: ReadonlyMap<Frame, Headers>;
  /** Resolves when the server closed the connection. */
  readonly closed: Promise<void>;
  readonly isClosed: boolean;
  /** Sends bytes; after the end of the connection, nothing happens. */
  send(...bytes: readonly Uint8Array[]): Promise<void>;
  /** Waits until something holds of what came, or the connection is closed. Throws after some seconds. */
  until(holds: () => boolean): Promise<void>;
  /** Code of the last GOAWAY with one other than NO_ERROR. */
  goAway(): H2Code | undefined;
  /** Resets that came: streams and codes. */
  resets(): [stream: number, code: H2Code][];
  close(): void;
}

/** Longest wait of {@link RawPeer.until}, ms. */
const PATIENCE_MS = 20_000;

/** Connects. With `reading: false`, nothing is read. */
export async function dial(
  address: Deno.ConnectOptions | Deno.UnixConnectOptions,
  { reading = true }: { readonly reading?: boolean } = {},
): Promise<RawPeer> {
  if ("path" in address) return peerOver(await Deno.connect(address), reading);
  const conn = await Deno.connect(address);
  conn.setNoDelay(true);
  return peerOver(conn, reading);
}

/** A peer over an open connection. */
export function peerOver(conn: Deno.Conn, reading = true): RawPeer {
  const received = new Received();
  const { frames, headers } = received;
  const closed = reading ? received.read(conn) : Promise.resolve();
  return {
    frames,
    headers,
    closed,
    get isClosed() {
      return received.isClosed;
    },
    async send(...bytes) {
      try {
        const all = join(bytes);
        for (let at = 0; at < all.length;) at += await conn.write(all.subarray(at));
      } catch {
        // The server may have had enough before all was sent.
      }
    },
    async until(holds) {
      const timer = setTimeout(() => conn.close(), PATIENCE_MS);
      while (!holds()) {
        if (received.isClosed) {
          throw new Error("the connection was closed, or nothing came for too long");
        }
        await received.change();
      }
      clearTimeout(timer);
    },
    goAway() {
      const codes = frames.filter(({ type }) => type === FRAME.GOAWAY)
        .map(({ payload }) => codeOf(readUint31(payload, 4)));
      return codes.findLast((code) => code !== "NO_ERROR");
    },
    resets: () =>
      frames.filter(({ type }) => type === FRAME.RST_STREAM)
        .map(({ stream, payload }) => [stream, codeOf(readUint31(payload, 0))]),
    close() {
      try {
        conn.close();
      } catch {
        // It is closed already.
      }
    },
  };
}

/** The frames that arrived on a connection. */
class Received {
  readonly frames: Frame[] = [];
  readonly headers = new Map<Frame, Headers>();
  isClosed = false;
  readonly #decoder = hpackDecoder({ size: 1e6, fields: 1e4 });
  #changed = Promise.withResolvers<void>();

  /** Resolves when frames arrived or the connection ended. */
  change(): Promise<void> {
    return this.#changed.promise;
  }

  async read(conn: Deno.Conn): Promise<void> {
    const reader = frameReader(false);
    const chunk = new Uint8Array(65_536);
    try {
      for (let size; (size = await conn.read(chunk)) !== null;) {
        reader.push(chunk.slice(0, size));
        for (let frame; (frame = reader.next());) this.#take(frame);
        this.#changed.resolve();
        this.#changed = Promise.withResolvers();
      }
    } catch {
      // The connection was reset, or closed by the test.
    }
    this.isClosed = true;
    this.#changed.resolve();
  }

  #take(frame: Frame): void {
    this.frames.push(frame);
    if (frame.type !== FRAME.HEADERS) return;
    this.headers.set(frame, this.#decoder.decode(frame.payload).headers ?? []);
  }
}
