/**
 * A writer of DER (ITU-T X.690, section 10).
 *
 * @module
 */
import { TAG } from "./der.ts";

/** Identifier bytes of the types that only this room writes. */
export const WRITTEN = {
  null: 0x05,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const;

/** Writes an element with the given identifier byte; its content is the parts, one after the other. */
export function writeDer(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  const head = [tag, ...lengthBytes(size)];
  const bytes = new Uint8Array(head.length + size);
  bytes.set(head);
  let at = head.length;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Writes a non-negative integer from its big-endian bytes. */
export function writeInteger(bytes: Uint8Array): Uint8Array {
  const from = bytes.findIndex((byte) => byte !== 0);
  const digits = from < 0 ? bytes.subarray(-1) : bytes.subarray(from);
  const positive = digits[0]! < 0x80 ? [] : [0];
  return writeDer(TAG.integer, Uint8Array.from(positive), digits);
}

/** Writes a bit string of whole bytes. */
export function writeBits(bytes: Uint8Array): Uint8Array {
  return writeDer(TAG.bitString, Uint8Array.of(0), bytes);
}

/** Writes an object identifier in its dotted form. */
export function writeOid(text: string): Uint8Array {
  const [top = 0, second = 0, ...arcs] = text.split(".").map(Number);
  return writeDer(TAG.oid, Uint8Array.from([top * 40 + second, ...arcs].flatMap(base128)));
}

/**
 * Writes a time with whole seconds: UTCTime until 2049, GeneralizedTime afterwards (RFC 5280, section
 * 4.1.2.5).
 *
 * @param ms milliseconds since 1970
 */
export function writeTime(ms: number): Uint8Array {
  const digits = new Date(ms).toISOString().replace(/\.\d+/, "").replace(/[-:T]/g, "");
  const short = Number(digits.slice(0, 4)) < 2050;
  return short
    ? writeDer(WRITTEN.utcTime, encodeText(digits.slice(2)))
    : writeDer(WRITTEN.generalizedTime, encodeText(digits));
}

/** The UTF-8 bytes of a text. */
export function encodeText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function lengthBytes(size: number): number[] {
  if (size < 0x80) return [size];
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

/** Digits to the base of 128; all but the last have the highest bit. */
function base128(arc: number): number[] {
  const digits = [arc % 128];
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) {
    digits.unshift(0x80 | rest % 128);
  }
  return digits;
}
