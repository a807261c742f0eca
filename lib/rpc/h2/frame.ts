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
  /** What did not make up a frame, or the preface, yet, with room for as much of it as is known. */
  let begun: Uint8Array = new Uint8Array(expectPreface ? PREFACE.length : HEAD);
  let size = 0;
  let preface = expectPreface;

  /** Moves bytes into the room there is. Returns how many it took. */
  const fill = (bytes: Uint8Array, at: number): number => {
    const part = bytes.subarray(at, at + begun.length - size);
    begun.set(part, size);
    size += part.length;
    return part.length;
  };
  const restart = (): void => {
    begun = new Uint8Array(HEAD);
    size = 0;
  };
  const readPreface = (bytes: Uint8Array): number => {
    const taken = fill(bytes, 0);
    if (!startsLikePreface(begun, size)) {
      throw new H2Error("PROTOCOL_ERROR", "this is not HTTP/2");
    }
    if (size === PREFACE.length) {
      preface = false;
      restart();
    }
    return taken;
  };
  /** Reads on in the frame of which some came before. Returns how many bytes that took. */
  const readBegun = (bytes: Uint8Array, at: number, handle: (frame: Frame) => void): number => {
    let taken = fill(bytes, at);
    if (size === HEAD && begun.length === HEAD) {
      const whole = new Uint8Array(sizeOf(begun, 0));
      whole.set(begun);
      begun = whole;
      taken += fill(bytes, at + taken);
    }
    if (size < begun.length) return taken;
    const frame = frameAt(begun, 0, size);
    restart();
    handle(frame);
    return taken;
  };
  return {
    push(bytes, handle) {
      let at = preface ? readPreface(bytes) : 0;
      if (preface) return;
      if (size > 0) at += readBegun(bytes, at, handle);
      while (bytes.length - at >= HEAD) {
        const end = at + sizeOf(bytes, at);
        if (end > bytes.length) break;
        handle(frameAt(bytes, at, end));
        at = end;
      }
      if (at < bytes.length) readBegun(bytes, at, handle);
    },
  };
}

/** Bytes of the frame that begins at an offset, its head included. Throws `H2Error`. */
function sizeOf(bytes: Uint8Array, at: number): number {
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
