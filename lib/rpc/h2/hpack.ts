/**
 * Header compression of HTTP/2, RFC 7541. The decoder takes all of it, within limits; the encoder
 * writes what needs no state: indices of the static table and plain literals.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { H2Error } from "./error.ts";
import { decodeHuffman } from "./huffman.ts";

/** Header fields in order; names in lower case. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** RFC 7541 appendix A, from index 1: `name` or `name value`. */
const STATIC: readonly (readonly [string, string])[] = [
  ":authority",
  ":method GET",
  ":method POST",
  ":path /",
  ":path /index.html",
  ":scheme http",
  ":scheme https",
  ":status 200",
  ":status 204",
  ":status 206",
  ":status 304",
  ":status 400",
  ":status 404",
  ":status 500",
  "accept-charset",
  "accept-encoding gzip, deflate",
  "accept-language",
  "accept-ranges",
  "accept",
  "access-control-allow-origin",
  "age",
  "allow",
  "authorization",
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-length",
  "content-location",
  "content-range",
  "content-type",
  "cookie",
  "date",
  "etag",
  "expect",
  "expires",
  "from",
  "host",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "last-modified",
  "link",
  "location",
  "max-forwards",
  "proxy-authenticate",
  "proxy-authorization",
  "range",
  "referer",
  "refresh",
  "retry-after",
  "server",
  "set-cookie",
  "strict-transport-security",
  "transfer-encoding",
  "user-agent",
  "vary",
  "via",
  "www-authenticate",
].map((line) => {
  const space = line.indexOf(" ");
  return space < 0 ? [line, ""] as const : [line.slice(0, space), line.slice(space + 1)] as const;
});

/** Size of the dynamic table both sides begin with, and the largest the decoder allows, bytes. */
const TABLE_SIZE = 4096;
/** What an entry counts beside its text. */
const ENTRY_OVERHEAD = 32;

/** Decodes header blocks of one connection, in the order they come. */
export interface HpackDecoder {
  /** Throws `H2Error`: COMPRESSION_ERROR for garbage, ENHANCE_YOUR_CALM beyond the limit. */
  decode(block: Uint8Array): Headers;
}

/** A decoder. `limit` bounds the decoded size of one block: text plus 32 bytes a field. */
export function hpackDecoder(limit: number): HpackDecoder {
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

  return {
    decode(block) {
      const cursor: Cursor = { bytes: block, at: 0 };
      const headers: (readonly [string, string])[] = [];
      let total = 0;
      while (cursor.at < block.length) {
        const first = block[cursor.at]!;
        if ((first & 0xe0) === 0x20) {
          const to = readInteger(cursor, 5);
          if (to > TABLE_SIZE) throw malformed("the table is made larger than allowed");
          shrink(capacity = to);
          continue;
        }
        let field: readonly [string, string];
        if (first & 0x80) field = at(readInteger(cursor, 7));
        else if (first & 0x40) add(field = literal(cursor, readInteger(cursor, 6)));
        else field = literal(cursor, readInteger(cursor, 4));
        total += sizeOf(field);
        if (total > limit) throw new H2Error("ENHANCE_YOUR_CALM", "the headers are too large");
        headers.push(field);
      }
      return headers;
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
    const whole = STATIC.findIndex((field) => field[0] === name && field[1] === value);
    if (whole >= 0) {
      writeInteger(out, 0x80, 7, whole + 1);
      continue;
    }
    const named = STATIC.findIndex((field) => field[0] === name);
    writeInteger(out, 0, 4, named + 1);
    if (named < 0) writeString(out, name);
    writeString(out, value);
  }
  return new Uint8Array(out);
}

function writeInteger(out: number[], pattern: number, prefix: number, value: number): void {
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
  writeInteger(out, 0, 7, bytes.length);
  for (const byte of bytes) out.push(byte);
}
