/**
 * Top-level fields of encoded protobuf messages, without decoding them. Fields are skipped by their
 * length, so that large resources cost nothing.
 *
 * @module
 */

/** Wire types of protobuf. */
const VARINT = 0;
const BYTES = 2;

/**
 * Calls back for each field of bytes (texts and messages too), with the range of its content. Returns
 * false for bytes that are no message; discovery messages have no fixed-width fields.
 */
export function eachBytesField(
  message: Uint8Array,
  visit: (field: number, start: number, end: number) => void,
): boolean {
  let at = 0;
  const varint = (): number => {
    let [value, factor] = [0, 1];
    for (let i = 0; i < 10 && at < message.length; i++) {
      const byte = message[at++]!;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
    at = message.length + 1;
    return 0;
  };
  while (at < message.length) {
    const tag = varint();
    const [field, wire] = [Math.floor(tag / 8), tag & 7];
    if (wire === VARINT) varint();
    else if (wire === BYTES) {
      const length = varint();
      if (at + length > message.length) return false;
      visit(field, at, at + length);
      at += length;
    } else return false;
  }
  return at === message.length;
}
