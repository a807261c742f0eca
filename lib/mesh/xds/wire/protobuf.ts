/**
 * Reading and writing protocol buffers by hand, for the few messages that wrap all others: they
 * pass by the thousand, and what they carry is already encoded.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { joinedBytes, MeshError } from "../../../kit/base/mod.ts";

const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;
const FIXED32 = 5;
const LARGEST_FIELD = 0x1fffffff;

/**
 * Walks over the fields of a message between two offsets: `next` moves to the next field, whose
 * properties are then valid. A generator would allocate an object for each field; requests have
 * thousands. `next` throws `MeshError` `wire-malformed` for anything that is not a message.
 */
export class FieldReader {
  /** Number of the field. */
  number = 0;
  /** Offset of the field's tag. */
  from = 0;
  /** Value of a varint field; exact up to 2^53. 0 otherwise. */
  value = 0;
  /** Start and end of the content of a length-delimited field, as offsets. */
  start = 0;
  end = 0;
  readonly #bytes: Uint8Array;
  readonly #to: number;
  #at: number;

  constructor(bytes: Uint8Array, from = 0, to: number = bytes.byteLength) {
    this.#bytes = bytes;
    this.#at = from;
    this.#to = to;
  }

  /** Moves to the next field; false after the last one. */
  next(): boolean {
    if (this.#at >= this.#to) return false;
    this.from = this.#at;
    const tag = this.#varint();
    this.number = Math.floor(tag / 8);
    if (this.number === 0 || this.number > LARGEST_FIELD) throw malformed();
    this.value = 0;
    switch (tag % 8) {
      case DELIMITED: {
        const length = this.#varint();
        this.start = this.#at;
        this.#at += length;
        break;
      }
      case VARINT:
        this.value = this.#varint();
        this.start = this.#at;
        break;
      case FIXED64:
        this.start = this.#at += 8;
        break;
      case FIXED32:
        this.start = this.#at += 4;
        break;
      default:
        throw malformed();
    }
    this.end = this.#at;
    if (this.#at > this.#to) throw malformed();
    return true;
  }

  #varint(): number {
    const bytes = this.#bytes;
    let at = this.#at;
    if (at >= this.#to) throw malformed();
    let byte = bytes[at++]!;
    if (byte < 0x80) {
      this.#at = at;
      return byte;
    }
    let value = byte & 0x7f;
    let scale = 128;
    for (let i = 1; i < 10; i++) {
      if (at >= this.#to) throw malformed();
      byte = bytes[at++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        this.#at = at;
        return value;
      }
      scale *= 128;
    }
    throw malformed();
  }
}

function malformed(): MeshError {
  return new MeshError("wire-malformed", "the message is not a valid protocol buffer");
}

/** Text between two offsets; bytes that are no UTF-8 become replacement characters. */
export function textOf(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8", start, end);
}

/** Bytes a varint takes. */
export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
  return size;
}

/** Writes a varint; returns the offset behind it. */
export function writeVarint(target: Uint8Array, at: number, value: number): number {
  while (value >= 128) {
    target[at++] = (value % 128) | 0x80;
    value = Math.floor(value / 128);
  }
  target[at++] = value;
  return at;
}

/** The tag of a length-delimited field. Numbers up to 15 only, which all fields written here have. */
export function tagOf(number: number): number {
  return number * 8 + DELIMITED;
}

const encoder = new TextEncoder();

/** Bytes of a text in UTF-8. Names and versions are plain ASCII nearly always. */
export function textSize(text: string): number {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) >= 128) return encoder.encode(text).byteLength;
  }
  return text.length;
}

/** Writes a text of which {@link textSize} is known; returns the offset behind it. */
export function writeText(target: Uint8Array, at: number, text: string, size: number): number {
  if (size === text.length) { for (let i = 0; i < size; i++) target[at + i] = text.charCodeAt(i); }
  else target.set(encoder.encode(text), at);
  return at + size;
}

/** A length-delimited field: tag, length, content. */
export function delimited(number: number, content: Uint8Array | string): Uint8Array {
  const short = typeof content === "string" ? shortField(number, content) : undefined;
  if (short) return short;
  const body = typeof content === "string" ? encoder.encode(content) : content;
  const out = new Uint8Array(1 + varintSize(body.byteLength) + body.byteLength);
  out[0] = tagOf(number);
  out.set(body, writeVarint(out, 1, body.byteLength));
  return out;
}

/**
 * Encodes a field of short ASCII text, such as a nonce; this is cheaper than a call of the
 * platform.
 */
function shortField(number: number, text: string): Uint8Array | undefined {
  const { length } = text;
  if (length >= 128) return undefined;
  const out = new Uint8Array(2 + length);
  out[0] = tagOf(number);
  out[1] = length;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 128) return undefined;
    out[2 + i] = code;
  }
  return out;
}

/** Pieces put together. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return joinedBytes(parts);
}

/** Fields of texts, one after the other in one piece: thousands of small pieces take ten times the memory. */
export function delimitedAll(number: number, texts: readonly string[]): Uint8Array {
  return joinedBytes(texts.map((text) => delimited(number, text)));
}

/** Returns the size of a length-delimited field with a content size. */
export function fieldSize(size: number): number {
  return 1 + varintSize(size) + size;
}

/** Writes tag and length of a field before its content; returns the offset after them. */
export function writeOpening(target: Uint8Array, at: number, number: number, size: number): number {
  target[at] = tagOf(number);
  return writeVarint(target, at + 1, size);
}

/** Writes a field of text; returns the offset behind it. */
export function writeTextField(
  target: Uint8Array,
  at: number,
  number: number,
  text: string,
): number {
  const size = textSize(text);
  return writeText(target, writeOpening(target, at, number, size), text, size);
}
