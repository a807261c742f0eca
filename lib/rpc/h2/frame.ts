/**
 * The frames of HTTP/2, RFC 9113 sections 4 and 6.
 *
 * @module
 */
import { H2_CODE, type H2Code, H2Error } from "./error.ts";

/** Frame types by name. */
export const FRAME = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

/** Flags by name. */
export const FLAG = {
  END_STREAM: 1,
  ACK: 1,
  END_HEADERS: 4,
  PADDED: 8,
  PRIORITY: 32,
} as const;

/** Settings by name. */
export const SETTING = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
} as const;

/** What a client sends before its first frame. */
export const PREFACE: Uint8Array = new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Bytes of a frame's head. */
export const HEAD = 9;
/** Largest payload, as long as nobody agreed on another: what this side takes, and begins with. */
export const MAX_FRAME = 16_384;
/** Window of a new stream and of the connection, as long as nobody changed it. */
export const DEFAULT_WINDOW = 65_535;
/** Largest window there can be. */
export const MAX_WINDOW: number = 2 ** 31 - 1;

/** A frame as it came. The payload is valid until the handler returns. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array;
}

/** Writes the head of a frame. */
export function writeHead(
  target: Uint8Array,
  at: number,
  size: number,
  type: number,
  flags: number,
  stream: number,
): void {
  target[at] = size >>> 16;
  target[at + 1] = size >>> 8;
  target[at + 2] = size;
  target[at + 3] = type;
  target[at + 4] = flags;
  writeUint32(target, at + 5, stream);
}

/** A whole frame. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = new Uint8Array(0),
): Uint8Array {
  const out = new Uint8Array(HEAD + payload.length);
  writeHead(out, 0, payload.length, type, flags, stream);
  out.set(payload, HEAD);
  return out;
}

/** A header block as a HEADERS frame and as many CONTINUATION frames as it takes. */
export function headerFrames(
  stream: number,
  block: Uint8Array,
  end: boolean,
  maxFrame: number,
): Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < block.length; at += maxFrame) {
    const part = block.subarray(at, at + maxFrame);
    const flags = (at === 0 && end ? FLAG.END_STREAM : 0) |
      (at + maxFrame >= block.length ? FLAG.END_HEADERS : 0);
    frames.push(frame(at === 0 ? FRAME.HEADERS : FRAME.CONTINUATION, flags, stream, part));
  }
  return frames;
}

/** A SETTINGS frame. */
export function settingsFrame(settings: readonly (readonly [number, number])[]): Uint8Array {
  const payload = new Uint8Array(settings.length * 6);
  settings.forEach(([id, value], i) => {
    payload[i * 6 + 1] = id;
    writeUint32(payload, i * 6 + 2, value);
  });
  return frame(FRAME.SETTINGS, 0, 0, payload);
}

/** A WINDOW_UPDATE frame; stream 0 is the connection. */
export function windowFrame(stream: number, credit: number): Uint8Array {
  return frame(FRAME.WINDOW_UPDATE, 0, stream, uint32(credit));
}

/** A RST_STREAM frame. */
export function resetFrame(stream: number, code: H2Code): Uint8Array {
  return frame(FRAME.RST_STREAM, 0, stream, uint32(H2_CODE[code]));
}

/** A GOAWAY frame. */
export function goAwayFrame(lastStream: number, code: H2Code): Uint8Array {
  const payload = new Uint8Array(8);
  writeUint32(payload, 0, lastStream);
  writeUint32(payload, 4, H2_CODE[code]);
  return frame(FRAME.GOAWAY, 0, 0, payload);
}

/** Cuts what arrives into frames. */
export interface FrameReader {
  /** Takes in bytes and hands out the frames they complete. Throws `H2Error`. */
  push(bytes: Uint8Array, handle: (frame: Frame) => void): void;
}

/** A reader; that of a server expects the client's preface first. */
export function frameReader(expectPreface: boolean): FrameReader {
  let rest: Uint8Array = new Uint8Array(0);
  let preface = expectPreface;
  return {
    push(bytes, handle) {
      const all = rest.length === 0 ? bytes : joined(rest, bytes);
      let at = 0;
      if (preface) {
        if (!startsLikePreface(all)) throw new H2Error("PROTOCOL_ERROR", "this is not HTTP/2");
        if (all.length >= PREFACE.length) {
          preface = false;
          at = PREFACE.length;
        }
      }
      while (!preface && all.length - at >= HEAD) {
        const size = all[at]! * 65_536 + all[at + 1]! * 256 + all[at + 2]!;
        if (size > MAX_FRAME) throw new H2Error("FRAME_SIZE_ERROR", "a frame is too large");
        const end = at + HEAD + size;
        if (end > all.length) break;
        handle({
          type: all[at + 3]!,
          flags: all[at + 4]!,
          stream: readUint31(all, at + 5),
          payload: all.subarray(at + HEAD, end),
        });
        at = end;
      }
      rest = at === all.length ? new Uint8Array(0) : all.slice(at);
    },
  };
}

function startsLikePreface(bytes: Uint8Array): boolean {
  const length = Math.min(bytes.length, PREFACE.length);
  for (let i = 0; i < length; i++) if (bytes[i] !== PREFACE[i]) return false;
  return true;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

/**
 * The content of a DATA or HEADERS payload, without padding and priority.
 * Throws `H2Error` PROTOCOL_ERROR when there is more padding than payload.
 */
export function contentOf({ type, flags, payload }: Frame): Uint8Array {
  let from = 0;
  let to = payload.length;
  if (flags & FLAG.PADDED) {
    to -= payload[0] ?? to + 1;
    from = 1;
  }
  if (type === FRAME.HEADERS && flags & FLAG.PRIORITY) from += 5;
  if (from > to) throw new H2Error("PROTOCOL_ERROR", "a frame is all padding");
  return payload.subarray(from, to);
}

/** A number of 31 bits; the bit before it is ignored. */
export function readUint31(bytes: Uint8Array, at: number): number {
  return (bytes[at]! & 0x7f) * 2 ** 24 + bytes[at + 1]! * 65_536 + bytes[at + 2]! * 256 +
    bytes[at + 3]!;
}

function uint32(value: number): Uint8Array {
  const out = new Uint8Array(4);
  writeUint32(out, 0, value);
  return out;
}

function writeUint32(target: Uint8Array, at: number, value: number): void {
  target[at] = value >>> 24;
  target[at + 1] = value >>> 16;
  target[at + 2] = value >>> 8;
  target[at + 3] = value;
}
