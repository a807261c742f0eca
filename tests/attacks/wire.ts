/**
 * Connections of an attacker: they write as fast as they can, and read only on demand.
 *
 * @module
 */
import { connect } from "node:net";
import { hello, type Setting } from "./frames.ts";

/** The listener that is attacked, and how far the attack got. */
export interface Scene {
  readonly port: number;
  /** Tells that the attack is under way: from now on others are to be served nevertheless. */
  begun(): void;
  /** Reports if the time of the attack is over. */
  over(): boolean;
  /** Resolves when the time of the attack is over. */
  readonly end: Promise<void>;
  /** Counts so far. */
  readonly counts: Counts;
}

/** Counts of an attack. */
export interface Counts {
  bytes: number;
  connections: number;
  /** Connections that the daemon ended. */
  ended: number;
}

/** A connection of an attacker. */
export interface Wire {
  /** Writes; false when the connection or the attack is over. */
  write(bytes: Uint8Array): Promise<boolean>;
  /** Reports if the connection is over. */
  closed(): boolean;
  /** Resolves when the connection is over. */
  readonly gone: Promise<void>;
  close(): void;
}

/** Behavior of a connection. */
export interface WireOptions {
  /** Reads what the daemon sends, and throws it away. */
  readonly read?: boolean;
}

/** Opens a connection. It is closed at the end of the attack. */
export async function open(scene: Scene, { read = false }: WireOptions = {}): Promise<Wire> {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port: scene.port });
  scene.counts.connections++;
  let closed = false;
  const gone = Promise.withResolvers<void>();
  const end = (byDaemon: boolean) => {
    if (closed) return;
    closed = true;
    if (byDaemon && !scene.over()) scene.counts.ended++;
    conn.close();
    gone.resolve();
  };
  void scene.end.then(() => end(false));
  if (read) void discard(conn).then(() => end(true));
  return {
    closed: () => closed,
    gone: gone.promise,
    close: () => end(false),
    async write(bytes) {
      try {
        for (let at = 0; at < bytes.length && !closed;) {
          const count = await conn.write(bytes.subarray(at));
          scene.counts.bytes += count;
          at += count;
        }
      } catch {
        end(true);
      }
      return !closed && !scene.over();
    },
  };
}

/**
 * Opens a connection from another address of the loopback network than ordinary proxies have. It reads
 * nothing.
 */
export async function openFrom(
  scene: Scene,
  localAddress: string,
): Promise<Pick<Wire, "write" | "close">> {
  const socket = connect({ host: "127.0.0.1", port: scene.port, localAddress });
  socket.pause();
  let closed = false;
  const opened = Promise.withResolvers<void>();
  socket.once("connect", opened.resolve);
  socket.once("error", () => socket.destroy());
  socket.once("close", () => {
    closed = true;
    if (!scene.over()) scene.counts.ended++;
    opened.resolve();
  });
  scene.counts.connections++;
  void scene.end.then(() => socket.destroy());
  await opened.promise;
  return {
    close: () => socket.destroy(),
    write: (bytes) =>
      new Promise((resolve) => {
        scene.counts.bytes += bytes.length;
        socket.write(bytes, () => resolve(!closed && !scene.over()));
      }),
  };
}

async function discard(conn: Deno.TcpConn): Promise<void> {
  const buffer = new Uint8Array(256 * 1024);
  try {
    while (await conn.read(buffer) !== null);
  } catch {
    // The connection was reset, or closed by this side.
  }
}

/** Behavior and first bytes of a connection. */
export interface GreetOptions extends WireOptions {
  readonly settings?: readonly Setting[];
}

/** Opens a connection and greets as a client of HTTP/2. */
export async function greet(
  scene: Scene,
  options: GreetOptions = {},
): Promise<Wire> {
  const wire = await open(scene, options);
  await wire.write(hello(options.settings));
  return wire;
}

/**
 * Does something on connections until the time is over: `act` is called again with another connection
 * when the daemon ends one, as an attacker would.
 */
export async function again(
  scene: Scene,
  options: GreetOptions,
  act: (wire: Wire) => Promise<void>,
): Promise<void> {
  while (!scene.over()) {
    try {
      const wire = await greet(scene, options);
      scene.begun();
      await act(wire);
      // Everything is sent: the daemon's reaction is tested.
      await Promise.race([wire.gone, scene.end]);
      wire.close();
    } catch (error) {
      if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** Pieces put together to about 64 KiB, which is what is written at once. */
export function* chunks(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  const room = new Uint8Array(64 * 1024);
  let size = 0;
  for (const piece of pieces) {
    if (size + piece.length > room.length) {
      yield room.slice(0, size);
      size = 0;
    }
    if (piece.length > room.length) yield piece;
    else {
      room.set(piece, size);
      size += piece.length;
    }
  }
  if (size > 0) yield room.slice(0, size);
}

/** Writes pieces until they or the connection end. */
export async function pour(wire: Wire, pieces: Iterable<Uint8Array>): Promise<void> {
  for (const chunk of chunks(pieces)) if (!await wire.write(chunk)) return;
}
