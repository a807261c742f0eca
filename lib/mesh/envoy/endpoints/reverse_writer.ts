/**
 * Writes protobuf from the end to the start. The length of a message is known after its fields were
 * written, so nothing is measured first or moved later.
 *
 * @module
 */

const LENGTH_DELIMITED = 2;

const VARINT = 0;

const encoder = new TextEncoder();

/** A buffer that fills from its end. Fields are written last to first. */
export interface ReverseWriter {
  /** Number of bytes written so far: a mark for {@link ReverseWriter.message}. */
  readonly length: number;
  /** Writes a string; nothing if it is empty, as in proto3. */
  text(field: number, value: string): void;
  /** Writes a number below 2^32; nothing if it is 0. */
  number(field: number, value: number): void;
  /** Ends a message: all bytes written since `mark` become the field's content. */
  message(field: number, mark: number): void;
  /** Returns a copy of the bytes in order. */
  bytes(): Uint8Array;
}

/** @param capacity initial size in bytes; the buffer grows as needed */
export function reverseWriter(capacity: number): ReverseWriter {
  return new Writer(capacity);
}

class Writer implements ReverseWriter {
  #buffer: Uint8Array<ArrayBuffer>;
  /** Position of the first written byte. */
  #at: number;

  constructor(capacity: number) {
    this.#buffer = new Uint8Array(capacity);
    this.#at = capacity;
  }

  get length(): number {
    return this.#buffer.length - this.#at;
  }

  text(field: number, value: string): void {
    if (value === "") return;
    const mark = this.length;
    if (!this.#ascii(value)) {
      const bytes = encoder.encode(value);
      this.#reserve(bytes.length);
      this.#at -= bytes.length;
      this.#buffer.set(bytes, this.#at);
    }
    this.#varint(this.length - mark);
    this.#tag(field, LENGTH_DELIMITED);
  }

  number(field: number, value: number): void {
    if (value === 0) return;
    this.#varint(value);
    this.#tag(field, VARINT);
  }

  message(field: number, mark: number): void {
    this.#varint(this.length - mark);
    this.#tag(field, LENGTH_DELIMITED);
  }

  bytes(): Uint8Array {
    return this.#buffer.slice(this.#at);
  }

  #reserve(size: number): void {
    if (this.#at >= size) return;
    const used = this.length;
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, used + size));
    larger.set(this.#buffer.subarray(this.#at), larger.length - used);
    this.#at = larger.length - used;
    this.#buffer = larger;
  }

  #varint(value: number): void {
    let size = 1;
    for (let rest = value >>> 7; rest > 0; rest >>>= 7) size++;
    this.#reserve(size);
    this.#at -= size;
    let to = this.#at;
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.#buffer[to++] = (rest & 0x7f) | 0x80;
    this.#buffer[to] = rest;
  }

  #tag(field: number, type: number): void {
    this.#varint(field << 3 | type);
  }

  /** Writes ASCII and returns true; returns false at the first other character. */
  #ascii(value: string): boolean {
    this.#reserve(value.length);
    const buffer = this.#buffer;
    let to = this.#at;
    for (let i = value.length - 1; i >= 0; i--) {
      const code = value.charCodeAt(i);
      if (code > 0x7f) return false;
      buffer[--to] = code;
    }
    this.#at = to;
    return true;
  }
}
