/**
 * A connection of an attacker that keeps to the windows the daemon gives it, so that what it sends
 * is taken.
 *
 * @module
 */
import { dataFrame, FLAG, frame, FRAME_HEAD, hello, INITIAL_WINDOW_SIZE, TYPE } from "./frames.ts";
import type { Scene } from "./wire.ts";

/** Initial window of a stream and of a connection; RFC 9113 section 6.9.2. */
const DEFAULT_WINDOW = 65_535;
/** Largest payload of a frame that needs no consent. */
const MAX_FRAME = 16_384;

/** A connection that keeps to windows. */
export interface Paced {
  /** Writes frames that are no DATA. */
  write(bytes: Uint8Array): Promise<void>;
  /** Sends content as far and as fast as it is taken; false when the connection or the attack is over. */
  send(stream: number, content: Uint8Array): Promise<boolean>;
}

/** Opens a connection, greets, and waits for the daemon's greeting. It is closed at the end of the attack. */
export async function openPaced(scene: Scene): Promise<Paced> {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port: scene.port });
  scene.counts.connections++;
  const windows = new Windows();
  let open = true;
  let wake = Promise.withResolvers<void>();
  const changed = () => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  const write = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length && open;) {
      const count = await conn.write(bytes.subarray(at)).catch(() => 0);
      if (count === 0) open = false;
      scene.counts.bytes += count;
      at += count;
    }
  };
  const greeted = Promise.withResolvers<void>();
  const take = (type: number, flags: number, stream: number, payload: DataView) => {
    if (type === TYPE.windowUpdate) windows.add(stream, payload.getUint32(0));
    if (type !== TYPE.settings || flags & FLAG.ack) return;
    windows.take(payload);
    void write(frame(TYPE.settings, FLAG.ack, 0)).then(greeted.resolve);
  };
  const stop = (byDaemon: boolean) => {
    if (byDaemon && open && !scene.over()) scene.counts.ended++;
    open = false;
    greeted.resolve();
    changed();
  };
  const reading = readFrames(conn, (...args) => {
    take(...args);
    changed();
  });
  void reading.then(() => stop(true));
  void scene.end.then(() => {
    stop(false);
    conn.close();
  });
  await write(hello());
  await greeted.promise;
  return {
    write,
    async send(stream, content) {
      for (let at = 0; at < content.length && open && !scene.over();) {
        const size = Math.min(MAX_FRAME, content.length - at, windows.of(stream));
        if (size <= 0) {
          await wake.promise;
          continue;
        }
        windows.add(0, -size);
        windows.add(stream, -size);
        await write(dataFrame(stream, content.subarray(at, at + size)));
        at += size;
      }
      return open && !scene.over();
    },
  };
}

/** The windows that the daemon gives: of the connection (stream 0) and of its streams. */
class Windows {
  #whole = DEFAULT_WINDOW;
  #initial = DEFAULT_WINDOW;
  readonly #own = new Map<number, number>();

  /** Bytes that a stream may send. */
  of(stream: number): number {
    return Math.min(this.#whole, this.#own.get(stream) ?? this.#initial);
  }

  add(stream: number, bytes: number): void {
    if (stream === 0) this.#whole += bytes;
    else this.#own.set(stream, (this.#own.get(stream) ?? this.#initial) + bytes);
  }

  /** Takes the initial window from a SETTINGS frame. */
  take(settings: DataView): void {
    for (let at = 0; at < settings.byteLength; at += 6) {
      if (settings.getUint16(at) !== INITIAL_WINDOW_SIZE) continue;
      this.#initial = settings.getUint32(at + 2);
    }
  }
}

type OnFrame = (type: number, flags: number, stream: number, payload: DataView) => void;

/** Reads frames until the connection ends. */
async function readFrames(conn: Deno.TcpConn, take: OnFrame): Promise<void> {
  let rest = new Uint8Array(0);
  const buffer = new Uint8Array(64 * 1024);
  for (;;) {
    const count = await conn.read(buffer).catch(() => null);
    if (count === null) return;
    const bytes = new Uint8Array(rest.length + count);
    bytes.set(rest);
    bytes.set(buffer.subarray(0, count), rest.length);
    let at = 0;
    const view = new DataView(bytes.buffer);
    while (bytes.length - at >= FRAME_HEAD) {
      const size = view.getUint32(at) >>> 8;
      if (bytes.length - at < FRAME_HEAD + size) break;
      const payload = new DataView(bytes.buffer, at + FRAME_HEAD, size);
      take(bytes[at + 3]!, bytes[at + 4]!, view.getUint32(at + 5) & 0x7fff_ffff, payload);
      at += FRAME_HEAD + size;
    }
    rest = bytes.slice(at);
  }
}
