/**
 * Header compression of HTTP/2, RFC 7541. The decoder is complete, within limits; the encoder uses
 * only indices of the static table and plain literals, and so needs no state.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { H2Error } from "./error.ts";
import { decodeHuffman } from "./huffman.ts";
import { indexOfField, indexOfName, STATIC } from "./static_table.ts";

/** Header fields in order; names in lower case. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** Initial size of the dynamic table, and the largest that the decoder allows, bytes; RFC 9113 section 6.5.2. */
const TABLE_SIZE = 4096;
/** Bytes that an entry counts in addition to its text, RFC 7541 section 4.1. */
const ENTRY_OVERHEAD = 32;
/** Size updates at the begin of a block: the smallest size since the last block, and the final one. */
const MAX_UPDATES = 2;

/** A decoded header block. */
export interface HeaderBlock {
  /** `undefined` when the block is beyond a limit. It was decoded to its end nevertheless. */
  readonly headers: Headers | undefined;
  /** Decoded size, bytes: text plus 32 for each field. */
  readonly size: number;
}

/** Bounds of one header block. */
export interface HeaderLimits {
  /** Decoded size, bytes. */
  readonly size: number;
  readonly fields: number;
}

/** Decodes header blocks of one connection, in the order they come. */
export interface HpackDecoder {
  /** Throws `H2Error` COMPRESSION_ERROR for what no encoder may write. */
  decode(block: Uint8Array): HeaderBlock;
}

export function hpackDecoder(limits: HeaderLimits): HpackDecoder {
  const table: (readonly [string, string])[] = [];
  let size = 0;
  let capacity = TABLE_SIZE;

  const shrink = (to: number) => {
    while (size > to) size -= sizeOf(table.pop()!);
  };
  const add = (field: readonly [string, string]) => {
    shrink(Math.max(0, capacity - sizeOf(field)));
    if (sizeOf(field) > capacity) return;
    table.unshift(field);
    size += sizeOf(field);
  };
  const at = (index: number) => {
    const field = index <= STATIC.length ? STATIC[index - 1] : table[index - 1 - STATIC.length];
    if (!field) throw malformed("an index points nowhere");
    return field;
  };
  const literal = (cursor: Cursor, index: number): readonly [string, string] => {
    const name = index === 0 ? readString(cursor) : at(index)[0];
    return [name, readString(cursor)];
  };

  const resize = (cursor: Cursor): void => {
    const to = readInteger(cursor, 5);
    if (to > TABLE_SIZE) throw malformed("the table is made larger than allowed");
    shrink(capacity = to);
  };
  const field = (cursor: Cursor, first: number): readonly [string, string] => {
    if (first & 0x80) return at(readInteger(cursor, 7));
    if ((first & 0x40) === 0) return literal(cursor, readInteger(cursor, 4));
    const added = literal(cursor, readInteger(cursor, 6));
    add(added);
    return added;
  };

  return {
    decode(block) {
      const cursor: Cursor = { bytes: block, at: 0 };
      const headers: (readonly [string, string])[] = [];
      let total = 0;
      let fields = 0;
      let updates = 0;
      while (cursor.at < block.length) {
        const first = block[cursor.at]!;
        if ((first & 0xe0) === 0x20) {
          if (fields > 0 || ++updates > MAX_UPDATES) throw malformed("a misplaced size update");
          resize(cursor);
          continue;
        }
        const next = field(cursor, first);
        total += sizeOf(next);
        if (++fields <= limits.fields && total <= limits.size) headers.push(next);
      }
      const isWithin = fields <= limits.fields && total <= limits.size;
      return { headers: isWithin ? headers : undefined, size: total };
    },
  };
}

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

function sizeOf([name, value]: readonly [string, string]): number {
  return name.length + value.length + ENTRY_OVERHEAD;
}

function readInteger(cursor: Cursor, prefix: number): number {
  const mask = 2 ** prefix - 1;
  let value = cursor.bytes[cursor.at++]! & mask;
  if (value < mask) return value;
  for (let shift = 0; shift <= 21; shift += 7) {
    const byte = cursor.bytes[cursor.at++];
    if (byte === undefined) throw malformed("an integer is cut off");
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return value;
  }
  throw malformed("an integer is too large");
}

function readString(cursor: Cursor): string {
  const huffman = ((cursor.bytes[cursor.at] ?? 0) & 0x80) !== 0;
  if (cursor.at >= cursor.bytes.length) throw malformed("a string is missing");
  const length = readInteger(cursor, 7);
  const end = cursor.at + length;
  if (end > cursor.bytes.length) throw malformed("a string is cut off");
  const raw = cursor.bytes.subarray(cursor.at, end);
  cursor.at = end;
  return huffman
    ? decodeHuffman(raw)
    : Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString("latin1");
}

function malformed(message: string): H2Error {
  return new H2Error("COMPRESSION_ERROR", message);
}

/** Encodes headers. Values are written as Latin-1, as HTTP has them. */
export function encodeHeaders(headers: Headers): Uint8Array {
  const out: number[] = [];
  for (const [name, value] of headers) {
    const whole = indexOfField(name, value);
    if (whole !== undefined) {
      writeInteger(out, [0x80, 7], whole);
      continue;
    }
    const named = indexOfName(name);
    writeInteger(out, [0, 4], named);
    if (named === 0) writeString(out, name);
    writeString(out, value);
  }
  return new Uint8Array(out);
}

/** Writes an integer with a prefix of `bits` bits in the first byte, RFC 7541 section 5.1. */
function writeInteger(
  out: number[],
  [pattern, prefix]: readonly [pattern: number, bits: number],
  value: number,
): void {
  const mask = 2 ** prefix - 1;
  if (value < mask) {
    out.push(pattern | value);
    return;
  }
  out.push(pattern | mask);
  for (value -= mask; value >= 128; value = Math.floor(value / 128)) out.push(value % 128 | 128);
  out.push(value);
}

function writeString(out: number[], text: string): void {
  const bytes = Buffer.from(text, "latin1");
  writeInteger(out, [0, 7], bytes.length);
  for (const byte of bytes) out.push(byte);
}
