/**
 * Decoding of UTF-8.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";

/**
 * The text of UTF-8 bytes, without a leading byte order mark.
 *
 * @throws {MeshError} `text-not-utf8`, with the offset of the first invalid byte.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    const at = firstInvalidByte(bytes);
    throw new MeshError(
      "text-not-utf8",
      `not UTF-8: byte ${at} (0x${(bytes[at] ?? 0).toString(16).padStart(2, "0")}) is not valid`,
      { remedy: "Save the file as UTF-8.", cause },
    );
  }
}

/** Offset of the first byte that is not well-formed UTF-8; the length if there is none. */
export function firstInvalidByte(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length === 0) return at;
    at += length;
  }
  return at;
}

/** Length of the well-formed sequence at an offset; 0 when there is none. Ranges from the Unicode standard, table 3-7. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (at + length > bytes.length) return 0;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  const second = bytes[at + 1]!;
  if (second < low || second > high) return 0;
  for (let i = 2; i < length; i++) {
    if ((bytes[at + i]! & 0xc0) !== 0x80) return 0;
  }
  return length;
}
