/**
 * A port of loopback that gRPC and HTTP/1 share: a connection that begins with the preface of HTTP/2
 * (RFC 9113, section 3.4) goes to one server, any other to another.
 *
 * @module
 */
import { sleep } from "../../../kit/async/mod.ts";
import { MeshError, messageOf } from "../../../kit/base/mod.ts";

/** Options of {@link sharePort}. */
export interface SharedPortOptions {
  readonly hostname: string;
  readonly port: number;
  /** Connects to the server of connections with the preface. */
  http2(): Promise<Deno.Conn>;
  /** Connects to the server of the others. */
  http1(): Promise<Deno.Conn>;
}

export interface SharedPort {
  readonly port: number;
  stop(): Promise<void>;
}

const PREFACE = new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
/** Connections at a time; further ones are closed. */
const MAX_CONNECTIONS = 32;
/** Time for the first bytes of a connection, ms. */
const FIRST_BYTES_MS = 10_000;
const BUFFER_BYTES = 16 * 1024;

/**
 * Listens.
 *
 * @throws MeshError `listen-failed`
 */
export function sharePort(options: SharedPortOptions): SharedPort {
  const { hostname, port } = options;
  const listener = bind(hostname, port);
  const connections = new Set<Promise<void>>();
  const stopping = new AbortController();
  const accepting = (async () => {
    for await (const client of accepted(listener)) {
      if (connections.size >= MAX_CONNECTIONS) {
        client.close();
        continue;
      }
      const running = serve(client, options, stopping.signal)
        .finally(() => connections.delete(running));
      connections.add(running);
    }
  })();
  return {
    port: listener.addr.port,
    async stop() {
      listener.close();
      stopping.abort();
      await accepting;
      await Promise.all(connections);
    },
  };
}

function bind(hostname: string, port: number): Deno.TcpListener {
  try {
    return Deno.listen({ hostname, port });
  } catch (cause) {
    const message = `cannot listen on ${hostname}:${port}: ${messageOf(cause)}`;
    throw new MeshError("listen-failed", message, { cause });
  }
}

/** Connections until the listener is closed; those that fail while they are accepted are left out. */
async function* accepted(listener: Deno.TcpListener): AsyncGenerator<Deno.TcpConn> {
  for (;;) {
    try {
      yield await listener.accept();
    } catch (error) {
      if (error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted) {
        return;
      }
      await sleep(25);
    }
  }
}

/** Relays one connection until it ends; never rejects. */
async function serve(
  client: Deno.TcpConn,
  options: SharedPortOptions,
  stopping: AbortSignal,
): Promise<void> {
  let server: Deno.Conn | undefined;
  const close = () => {
    for (const one of [client, server]) {
      try {
        one?.close();
      } catch {
        // It is closed.
      }
    }
  };
  stopping.addEventListener("abort", close, { once: true });
  try {
    const first = await firstBytes(client, close);
    if (first === undefined || stopping.aborted) return;
    server = await (isPreface(first) ? options.http2() : options.http1());
    if (stopping.aborted) return;
    await writeAll(server, first);
    await Promise.all([pipe(client, server), pipe(server, client)]);
  } catch {
    // One side reset its connection, or the server cannot be reached.
  } finally {
    stopping.removeEventListener("abort", close);
    close();
  }
}

/** Reads until the protocol is known; undefined: the client left. */
async function firstBytes(
  client: Deno.TcpConn,
  close: () => void,
): Promise<Uint8Array | undefined> {
  const timer = setTimeout(close, FIRST_BYTES_MS);
  try {
    const buffer = new Uint8Array(BUFFER_BYTES);
    for (let size = 0;;) {
      const length = await client.read(buffer.subarray(size));
      if (length === null) return undefined;
      size += length;
      const bytes = buffer.subarray(0, size);
      if (size >= PREFACE.length || !startsLikePreface(bytes)) return bytes;
    }
  } finally {
    clearTimeout(timer);
  }
}

function startsLikePreface(bytes: Uint8Array): boolean {
  return bytes.subarray(0, PREFACE.length).every((byte, i) => byte === PREFACE[i]);
}

function isPreface(bytes: Uint8Array): boolean {
  return bytes.length >= PREFACE.length && startsLikePreface(bytes);
}

async function pipe(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(BUFFER_BYTES);
  for (let length = await from.read(buffer); length !== null; length = await from.read(buffer)) {
    await writeAll(to, buffer.subarray(0, length));
  }
  await to.closeWrite();
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}
