/**
 * The frames of HTTP/2, RFC 9113 sections 4 and 6.
 *
 * @module
 */
import { H2_CODE, type H2Code, H2Error, protocolError } from "./error.ts";

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

/** The client's connection preface, RFC 9113 section 3.4. */
export const PREFACE: Uint8Array = new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Bytes of the priority fields of a HEADERS or PRIORITY frame. */
export const PRIORITY_SIZE = 5;
/** Bytes of a frame's head. */
export const HEAD = 9;
/** Largest payload that this side takes and sends: the initial value of SETTINGS_MAX_FRAME_SIZE. */
export const MAX_FRAME = 16_384;
/** Initial window of a stream and of the connection, RFC 9113 section 6.9.2. */
export const DEFAULT_WINDOW = 65_535;
/** Largest window that the protocol allows. */
export const MAX_WINDOW: number = 2 ** 31 - 1;

/** A received frame. The payload is a part of the received bytes. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array;
}

export interface FrameHead {
  readonly size: number;
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
}

export function writeHead(target: Uint8Array, at: number, head: FrameHead): void {
  const { size, type, flags, stream } = head;
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
  writeHead(out, 0, { size: payload.length, type, flags, stream });
  out.set(payload, HEAD);
  return out;
}

/** A header block as a HEADERS frame and as many CONTINUATION frames as it takes. */
export function headerFrames(
  stream: number,
  block: Uint8Array,
  { end, maxFrame = MAX_FRAME }: { readonly end: boolean; readonly maxFrame?: number },
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

/**
 * The content of a DATA or HEADERS payload, without padding and priority.
 * Throws `H2Error`: PROTOCOL_ERROR when there is more padding than payload, FRAME_SIZE_ERROR when
 * the priority fields are cut off.
 */
export function contentOf({ type, flags, payload }: Frame): Uint8Array {
  let from = 0;
  let to = payload.length;
  if (flags & FLAG.PADDED) {
    to -= payload[0] ?? to + 1;
    from = 1;
  }
  if (type === FRAME.HEADERS && flags & FLAG.PRIORITY) {
    from += PRIORITY_SIZE;
    if (payload.length < from) throw new H2Error("FRAME_SIZE_ERROR", "a frame is too short");
  }
  if (from > to) throw protocolError("a frame has more padding than payload");
  return payload.subarray(from, to);
}

/** A number of 31 bits; the bit before it is reserved and ignored. */
export function readUint31(bytes: Uint8Array, at: number): number {
  return readUint32(bytes, at) % 2 ** 31;
}

/** A number of 32 bits. */
export function readUint32(bytes: Uint8Array, at: number): number {
  return bytes[at]! * 2 ** 24 + bytes[at + 1]! * 65_536 + bytes[at + 2]! * 256 + bytes[at + 3]!;
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
