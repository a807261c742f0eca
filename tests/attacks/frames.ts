/**
 * Frames and header blocks of HTTP/2 as an attacker writes them: nothing is checked, nothing is
 * compressed. RFC 9113 section 6 for the frames, RFC 7541 section 6.2.2 for the header fields.
 *
 * @module
 */

/** Types of frames. */
export const TYPE = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** Flags of frames. */
export const FLAG = { ack: 1, endStream: 1, endHeaders: 4, padded: 8 } as const;

/** The setting that is the window of new streams. */
export const INITIAL_WINDOW_SIZE = 4;

/** Bytes before the payload of a frame. */
export const FRAME_HEAD = 9;

/** A frame: 24 bits of length, type, flags, 32 bits of stream, payload. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = NOTHING,
): Uint8Array {
  const out = new Uint8Array(FRAME_HEAD + payload.length);
  const view = new DataView(out.buffer);
  view.setUint32(0, payload.length << 8 | type);
  out[4] = flags;
  view.setUint32(5, stream);
  out.set(payload, FRAME_HEAD);
  return out;
}

const NOTHING: Uint8Array = new Uint8Array(0);
const PREFACE = new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

export type Setting = readonly [id: number, value: number];

/** The first bytes of a connection: the preface and SETTINGS. */
export function hello(settings: readonly Setting[] = []): Uint8Array {
  return concat(PREFACE, settingsFrame(settings));
}

/** A SETTINGS frame: 16 bits of id and 32 bits of value for each setting. */
export function settingsFrame(settings: readonly Setting[]): Uint8Array {
  const payload = new Uint8Array(6 * settings.length);
  const view = new DataView(payload.buffer);
  settings.forEach(([id, value], i) => {
    view.setUint16(6 * i, id);
    view.setUint32(6 * i + 2, value);
  });
  return frame(TYPE.settings, 0, 0, payload);
}

/** A RST_STREAM frame with the code CANCEL. */
export function resetFrame(stream: number): Uint8Array {
  return frame(TYPE.reset, 0, stream, uint32(8));
}

/** A WINDOW_UPDATE frame; stream 0 is the connection. */
export function windowFrame(stream: number, credit: number): Uint8Array {
  return frame(TYPE.windowUpdate, 0, stream, uint32(credit));
}

/** A number in four bytes. */
export function uint32(value: number): Uint8Array {
  const out = new Uint8Array(4);
  new DataView(out.buffer).setUint32(0, value);
  return out;
}

/** A header field by name and value. */
export type Field = readonly [name: string, value: string];

/** Header fields as literals without indexing and without Huffman code. */
export function headerBlock(fields: readonly Field[]): Uint8Array {
  return concat(...fields.flatMap(([name, value]) => {
    const bytes = [name, value].map((text) => new TextEncoder().encode(text));
    return [Uint8Array.of(0), ...bytes.flatMap((text) => [integer7(text.length), text])];
  }));
}

/** An integer with a prefix of 7 bits, RFC 7541 section 5.1. */
function integer7(value: number): Uint8Array {
  if (value < 127) return Uint8Array.of(value);
  const out = [127];
  let rest = value - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) out.push(rest % 128 + 128);
  out.push(rest);
  return Uint8Array.from(out);
}

/** The header fields of a gRPC request. */
export function grpcFields(path: string, more: readonly Field[] = []): Field[] {
  return [
    [":method", "POST"],
    [":scheme", "http"],
    [":path", path],
    [":authority", "localhost"],
    ["content-type", "application/grpc"],
    ["te", "trailers"],
    ...more,
  ];
}

/** A HEADERS frame that holds a whole block. */
export function headersFrame(stream: number, block: Uint8Array, endStream = false): Uint8Array {
  return frame(TYPE.headers, FLAG.endHeaders | (endStream ? FLAG.endStream : 0), stream, block);
}

export function dataFrame(stream: number, content: Uint8Array, endStream = false): Uint8Array {
  return frame(TYPE.data, endStream ? FLAG.endStream : 0, stream, content);
}

/** A DATA frame with a number of padding bytes. */
export function paddedFrame(stream: number, content: Uint8Array, padding: number): Uint8Array {
  const payload = new Uint8Array(1 + content.length + padding);
  payload[0] = padding;
  payload.set(content, 1);
  return frame(TYPE.data, FLAG.padded, stream, payload);
}

/** A gRPC message: a flag, 32 bits of length, the bytes. */
export function grpcMessage(bytes: Uint8Array): Uint8Array {
  return concat(Uint8Array.of(0), uint32(bytes.length), bytes);
}

/** Bytes one behind the other. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Bytes repeated. */
export function repeated(part: Uint8Array, count: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(part.length * count);
  for (let i = 0; i < count; i++) out.set(part, i * part.length);
  return out;
}
