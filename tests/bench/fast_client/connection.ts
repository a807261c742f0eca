/**
 * One gRPC stream over a TLS connection of its own, with as little HTTP/2 as a measuring client
 * needs: it reads as fast as it can, gives the server large windows, keeps to those of the server, and
 * sends one stream.
 *
 * @module
 */
import { joinedBytes } from "../../../lib/kit/base/mod.ts";
import type { RpcClientTls } from "../../../lib/kit/rpc/mod.ts";
import { Outbox } from "./outbox.ts";

/** Bytes read at a time. */
const READ = 64 * 1024;
/** The window that the client gives, as Envoys of the mesh do. */
const WINDOW = 16 * 1024 * 1024;
/** Bytes of the head of a frame, and of a message. */
const FRAME_HEAD = 9;
const MESSAGE_HEAD = 5;
/** Largest payload of a frame that is sent. */
const MAX_FRAME = 16_384;

const TYPE = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, window: 8 };
const ACK = 1;
const END_HEADERS = 4;
const STREAM = 1;

const text = new TextEncoder();

/** Options of {@link openLight}. */
export interface LightOptions {
  /** `host:port`. */
  readonly target: string;
  readonly path: string;
  readonly tls: RpcClientTls;
  /** Gets each message; its bytes are valid during the call only. */
  readonly message: (bytes: Uint8Array) => void;
  /** The connection is over. */
  readonly closed: () => void;
}

/** An open stream. */
export interface LightStream {
  send(message: Uint8Array): void;
  close(): void;
}

/** Connects by TLS with the client's certificate. */
export async function dialTls(target: string, tls: RpcClientTls): Promise<Deno.TlsConn> {
  const at = target.lastIndexOf(":");
  const connection = await Deno.connectTls({
    hostname: target.slice(0, at),
    port: Number(target.slice(at + 1)),
    caCerts: [tls.ca],
    cert: tls.cert!,
    key: tls.key!,
    alpnProtocols: ["h2"],
  });
  return connection;
}

/** Connects and opens a stream. */
export async function openLight(options: LightOptions): Promise<LightStream> {
  const connection = await dialTls(options.target, options.tls);
  const writer = writes(connection);
  writer.write(greeting(options.path));
  const outbox = new Outbox((piece) => writer.write(frame(TYPE.data, 0, STREAM, piece)));
  const reader = new Reader(options, writer.write, outbox);
  void readAll(connection, reader).then(options.closed);
  return {
    send: (message) => outbox.send(pieces(message)),
    close: () => connection.close(),
  };
}

/** Writes in order, joined while one is in progress. */
function writes(connection: Deno.TlsConn): { write(bytes: Uint8Array): void } {
  let waiting: Uint8Array[] = [];
  let busy = false;
  const run = async (): Promise<void> => {
    busy = true;
    try {
      while (waiting.length > 0) {
        const bytes = joinedBytes(waiting);
        waiting = [];
        for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
      }
    } catch {
      waiting = [];
    }
    busy = false;
  };
  return {
    write(bytes) {
      waiting.push(bytes);
      if (!busy) void run();
    },
  };
}

async function readAll(connection: Deno.TlsConn, reader: Reader): Promise<void> {
  const piece = new Uint8Array(READ);
  try {
    for (let count; (count = await connection.read(piece)) !== null;) {
      reader.push(piece.subarray(0, count));
    }
    connection.close();
  } catch {
    // Closed by one of the two sides.
  }
}

/** Takes received bytes, and gives the messages that they complete. */
class Reader {
  readonly #options: LightOptions;
  readonly #write: (bytes: Uint8Array) => void;
  readonly #outbox: Outbox;
  #head = new Uint8Array(FRAME_HEAD);
  #headSize = 0;
  /** Bytes of the frame's payload that are yet to come. */
  #left = 0;
  #control: Uint8Array[] = [];
  #message = new Uint8Array(1024);
  #size = 0;
  #uncredited = 0;

  constructor(options: LightOptions, write: (bytes: Uint8Array) => void, outbox: Outbox) {
    this.#options = options;
    this.#write = write;
    this.#outbox = outbox;
  }

  push(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#headSize < FRAME_HEAD) {
        const part = bytes.subarray(at, at + FRAME_HEAD - this.#headSize);
        this.#head.set(part, this.#headSize);
        this.#headSize += part.length;
        at += part.length;
        if (this.#headSize < FRAME_HEAD) return;
        this.#left = this.#head[0]! * 65_536 + this.#head[1]! * 256 + this.#head[2]!;
      }
      const part = bytes.subarray(at, at + this.#left);
      at += part.length;
      this.#left -= part.length;
      if (this.#head[3] === TYPE.data) this.#content(part);
      else this.#control.push(part.slice());
      if (this.#left === 0) this.#endFrame();
    }
  }

  #endFrame(): void {
    this.#headSize = 0;
    const [type, flags] = [this.#head[3]!, this.#head[4]!];
    const payload = joinedBytes(this.#control);
    this.#control = [];
    if (type === TYPE.window) this.#outbox.credit(this.#head[8]!, payload);
    if (flags & ACK) return;
    if (type === TYPE.settings) {
      this.#write(frame(TYPE.settings, ACK, 0, new Uint8Array(0)));
      this.#outbox.settings(payload);
    }
    if (type === TYPE.ping) this.#write(frame(TYPE.ping, ACK, 0, payload));
  }

  #content(part: Uint8Array): void {
    this.#uncredited += part.length;
    if (this.#uncredited > WINDOW / 2) {
      this.#write(credit(0, this.#uncredited));
      this.#write(credit(STREAM, this.#uncredited));
      this.#uncredited = 0;
    }
    this.#room(this.#size + part.length);
    this.#message.set(part, this.#size);
    this.#size += part.length;
    let from = 0;
    while (this.#size - from >= MESSAGE_HEAD) {
      const m = this.#message;
      const length = m[from + 1]! * 2 ** 24 + m[from + 2]! * 65_536 + m[from + 3]! * 256 +
        m[from + 4]!;
      const end = from + MESSAGE_HEAD + length;
      if (end > this.#size) {
        this.#room(length + MESSAGE_HEAD + from);
        break;
      }
      this.#options.message(this.#message.subarray(from + MESSAGE_HEAD, end));
      from = end;
    }
    if (from === 0) return;
    this.#message.copyWithin(0, from, this.#size);
    this.#size -= from;
    if (this.#size === 0 && this.#message.length > READ) this.#message = new Uint8Array(1024);
  }

  #room(size: number): void {
    if (size <= this.#message.length) return;
    const larger = new Uint8Array(Math.max(size, 2 * this.#message.length));
    larger.set(this.#message.subarray(0, this.#size));
    this.#message = larger;
  }
}

function frame(type: number, flags: number, stream: number, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(FRAME_HEAD + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, payload.length >>> 8);
  view.setUint8(2, payload.length & 255);
  view.setUint8(3, type);
  view.setUint8(4, flags);
  view.setUint32(5, stream);
  bytes.set(payload, FRAME_HEAD);
  return bytes;
}

function credit(stream: number, bytes: number): Uint8Array {
  const payload = new Uint8Array(4);
  new DataView(payload.buffer).setUint32(0, bytes);
  return frame(TYPE.window, 0, stream, payload);
}

/** Preface, settings, window of the connection, and the headers of the stream. */
function greeting(path: string): Uint8Array {
  const settings = new Uint8Array(6);
  new DataView(settings.buffer).setUint16(0, 4);
  new DataView(settings.buffer).setUint32(2, WINDOW);
  const headers = [
    [":method", "POST"],
    [":scheme", "https"],
    [":path", path],
    [":authority", "localhost"],
    ["content-type", "application/grpc"],
    ["te", "trailers"],
  ] as const;
  return joinedBytes([
    text.encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    frame(TYPE.settings, 0, 0, settings),
    credit(0, WINDOW),
    frame(TYPE.headers, END_HEADERS, STREAM, joinedBytes(headers.flatMap(literal))),
  ]);
}

/** A header that is not indexed, RFC 7541 section 6.2.2. All lengths are below 127. */
function literal([name, value]: readonly [string, string]): Uint8Array[] {
  const [n, v] = [text.encode(name), text.encode(value)];
  return [new Uint8Array([0, n.length]), n, new Uint8Array([v.length]), v];
}

/** A message with its head, in the pieces of frames. */
function pieces(message: Uint8Array): Uint8Array[] {
  const whole = new Uint8Array(MESSAGE_HEAD + message.length);
  new DataView(whole.buffer).setUint32(1, message.length);
  whole.set(message, MESSAGE_HEAD);
  const all: Uint8Array[] = [];
  for (let at = 0; at < whole.length; at += MAX_FRAME) all.push(whole.subarray(at, at + MAX_FRAME));
  return all;
}
