/**
 * A strict reader of DER (ITU-T X.690, section 10): definite, shortest lengths, no trailing bytes.
 *
 * @module
 */
import { pkiError } from "./error.ts";

/** One element of DER. */
export interface Der {
  /** The identifier byte, for example 0x30 for a sequence. */
  readonly tag: number;
  readonly content: Uint8Array;
  /** Identifier, length and content. */
  readonly raw: Uint8Array;
}

/** Identifier bytes. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Reads bytes that hold exactly one element. Throws `MeshError` `pki-malformed`. */
export function readDer(bytes: Uint8Array, what: string): Der {
  const { element, rest } = readElement(bytes, what);
  if (rest.length > 0) throw pkiError(what, `${rest.length} bytes follow its end`);
  return element;
}

/** The elements of a sequence, set or other constructed element. */
export function children({ tag, content }: Der, what: string): Der[] {
  if ((tag & 0x20) === 0) throw pkiError(what, "a structure was expected");
  const found: Der[] = [];
  for (let rest = content; rest.length > 0;) {
    const next = readElement(rest, what);
    found.push(next.element);
    rest = next.rest;
  }
  return found;
}

/** The bytes of a bit string that has whole bytes. */
export function bitBytes({ tag, content }: Der, what: string): Uint8Array {
  if (tag !== TAG.bitString || content[0] !== 0) throw pkiError(what, "a bit string was expected");
  return content.subarray(1);
}

/** Number of significant bits of a non-negative integer. */
export function integerBits({ tag, content }: Der, what: string): number {
  if (tag !== TAG.integer || content.length === 0 || content[0]! >= 0x80) {
    throw pkiError(what, "a positive integer was expected");
  }
  const bytes = content[0] === 0 ? content.subarray(1) : content;
  return bytes.length === 0 ? 0 : bytes.length * 8 - Math.clz32(bytes[0]!) + 24;
}

/** The dotted form of an object identifier. */
export function oidText({ tag, content }: Der, what: string): string {
  if (tag !== TAG.oid || content.length === 0 || content.at(-1)! >= 0x80) {
    throw pkiError(what, "an object identifier was expected");
  }
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (arc > Number.MAX_SAFE_INTEGER / 128) throw pkiError(what, "an identifier is too long");
    if (byte >= 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  const first = arcs[0]!;
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - top * 40, ...arcs.slice(1)].join(".");
}

function readElement(bytes: Uint8Array, what: string): { element: Der; rest: Uint8Array } {
  const [tag, length] = bytes;
  if (tag === undefined || length === undefined) throw pkiError(what, "it is cut off");
  if ((tag & 0x1f) === 0x1f) throw pkiError(what, "it has a tag of several bytes");
  const { size, start } = length < 0x80 ? { size: length, start: 2 } : longLength(bytes, what);
  if (start + size > bytes.length) throw pkiError(what, "it is cut off");
  const raw = bytes.subarray(0, start + size);
  return {
    element: { tag, content: raw.subarray(start), raw },
    rest: bytes.subarray(start + size),
  };
}

function longLength(bytes: Uint8Array, what: string): { size: number; start: number } {
  const count = bytes[1]! & 0x7f;
  if (count === 0) throw pkiError(what, "it has an indefinite length");
  if (count > 3) throw pkiError(what, "it is too long");
  if (bytes.length < 2 + count) throw pkiError(what, "it is cut off");
  let size = 0;
  for (const byte of bytes.subarray(2, 2 + count)) size = size * 256 + byte;
  if (size < 0x80 || size < 2 ** (8 * (count - 1))) {
    throw pkiError(what, "it has a length that is not in its shortest form");
  }
  return { size, start: 2 + count };
}
