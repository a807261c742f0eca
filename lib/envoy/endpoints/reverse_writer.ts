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
  let buffer = new Uint8Array(capacity);
  let at = capacity;

  const reserve = (size: number): void => {
    if (at >= size) return;
    const used = buffer.length - at;
    const larger = new Uint8Array(Math.max(buffer.length * 2, used + size));
    larger.set(buffer.subarray(at), larger.length - used);
    at = larger.length - used;
    buffer = larger;
  };

  const varint = (value: number): void => {
    let size = 1;
    for (let rest = value >>> 7; rest > 0; rest >>>= 7) size++;
    reserve(size);
    at -= size;
    let to = at;
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) buffer[to++] = (rest & 0x7f) | 0x80;
    buffer[to] = rest;
  };

  const tag = (field: number, type: number): void => varint(field << 3 | type);

  /** Writes ASCII and returns true; returns false at the first other character. */
  const ascii = (value: string): boolean => {
    reserve(value.length);
    let to = at;
    for (let i = value.length - 1; i >= 0; i--) {
      const code = value.charCodeAt(i);
      if (code > 0x7f) return false;
      buffer[--to] = code;
    }
    at = to;
    return true;
  };

  return {
    get length() {
      return buffer.length - at;
    },
    text(field, value) {
      if (value === "") return;
      const mark = buffer.length - at;
      if (!ascii(value)) {
        const bytes = encoder.encode(value);
        reserve(bytes.length);
        at -= bytes.length;
        buffer.set(bytes, at);
      }
      varint(buffer.length - at - mark);
      tag(field, LENGTH_DELIMITED);
    },
    number(field, value) {
      if (value === 0) return;
      varint(value);
      tag(field, VARINT);
    },
    message(field, mark) {
      varint(buffer.length - at - mark);
      tag(field, LENGTH_DELIMITED);
    },
    bytes: () => buffer.slice(at),
  };
}
