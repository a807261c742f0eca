/**
 * Large resources without their equal parts: tables of thousands of virtual hosts differ in a few,
 * and decoding all of them would block the event loop.
 *
 * @module
 */
import type { DescMessage } from "../../kit/proto/mod.ts";

/** Smaller resources are decoded as a whole. */
const LARGE = 32 * 1024;

/**
 * Both resources without the list elements that are equal in both, byte by byte. Only lists of
 * named elements are reduced, because their positions are not shown; changes of their order are not
 * shown then.
 */
export function thin(
  schema: DescMessage,
  before: Uint8Array,
  after: Uint8Array,
): readonly [Uint8Array, Uint8Array] {
  const lists = namedLists(schema);
  if (lists.size === 0 || Math.min(before.length, after.length) < LARGE) return [before, after];
  const [old, now] = [pieces(before), pieces(after)];
  if (old === undefined || now === undefined) return [before, after];
  const known = (all: readonly Piece[]) => new Set(all.map(({ text }) => text));
  const [inOld, inNow] = [known(old), known(now)];
  const keep = (all: readonly Piece[], other: ReadonlySet<string>, bytes: Uint8Array) =>
    join(all.filter(({ field, text }) => !lists.has(field) || !other.has(text)), bytes);
  return [keep(old, inNow, before), keep(now, inOld, after)];
}

/** Numbers of the list fields whose elements have a name. */
function namedLists(schema: DescMessage): ReadonlySet<number> {
  const named = schema.fields.filter((field) =>
    field.fieldKind === "list" && field.message?.fields.some(({ name }) => name === "name")
  );
  return new Set(named.map(({ number }) => number));
}

/** One occurrence of a field, tag included. */
interface Piece {
  readonly field: number;
  readonly start: number;
  readonly end: number;
  /** The bytes as text, one character for each byte. */
  readonly text: string;
}

/** The fields of a message in order; `undefined` if the bytes are not a message. */
function pieces(bytes: Uint8Array): Piece[] | undefined {
  const latin = new TextDecoder("latin1");
  const found: Piece[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = varint(bytes, at);
    const end = tag && endOf(bytes, tag.end, tag.value & 7);
    if (tag === undefined || end === undefined || end > bytes.length) return undefined;
    found.push({
      field: tag.value >>> 3,
      start: at,
      end,
      text: latin.decode(bytes.subarray(at, end)),
    });
    at = end;
  }
  return found;
}

/** End offset of a value of a wire type. */
function endOf(bytes: Uint8Array, at: number, wire: number): number | undefined {
  if (wire === 1) return at + 8;
  if (wire === 5) return at + 4;
  const read = varint(bytes, at);
  if (wire === 0) return read?.end;
  return wire === 2 && read !== undefined ? read.end + read.value : undefined;
}

function varint(bytes: Uint8Array, at: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let shift = 0; shift < 70 && at < bytes.length; shift += 7) {
    const byte = bytes[at++]!;
    // Values above 28 bits are not used as lengths.
    if (shift < 28) value += (byte & 127) * 2 ** shift;
    if (byte < 128) return { value, end: at };
  }
  return undefined;
}

function join(all: readonly Piece[], bytes: Uint8Array): Uint8Array {
  const size = all.reduce((sum, { start, end }) => sum + end - start, 0);
  const joined = new Uint8Array(size);
  let at = 0;
  for (const { start, end } of all) {
    joined.set(bytes.subarray(start, end), at);
    at += end - start;
  }
  return joined;
}
