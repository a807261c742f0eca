/**
 * Codecs of keys. A key is plain data of a type such as
 * `{ namespace, port, host }`; its text identifies the row, cell, bucket or
 * member in maps, dumps and debug pages. Only a codec turns one into the other.
 *
 * A key is a fixed number of parts (its arity), joined by `|`. Text inside a part
 * is percent-encoded where it holds `|` or `%`, so that no two keys of a codec
 * have one text.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";

/** Turns keys into text and back. Made by `text`, `integer`, `keyOf` and so on. */
export interface KeyCodec<K> {
  /** Parts that a key has. */
  readonly arity: number;
  /** The text of a key. Equal keys have equal texts, and different keys different ones. */
  encode(key: K): string;
  /** The key of a text. Throws a `MeshError` (`graph-bad-key`) when no key has that text. */
  decode(text: string): K;
  equal(a: K, b: K): boolean;
  /** The parts of a key inside a larger key, joined by `|`. */
  write(key: K): string;
  /** Reads a key from its parts, which begin at a position. */
  read(parts: readonly string[], at: number): K;
}

/** Separates parts. */
export const SEPARATOR = "|";

/** A codec that is given by how it writes and reads parts. */
export abstract class PartsCodec<K> implements KeyCodec<K> {
  constructor(readonly arity: number) {}

  abstract write(key: K): string;
  abstract read(parts: readonly string[], at: number): K;

  encode(key: K): string {
    return this.write(key);
  }

  decode(text: string): K {
    const parts = text.split(SEPARATOR);
    if (parts.length !== this.arity) {
      throw badKey(text, `it has ${parts.length} parts in place of ${this.arity}`);
    }
    return this.read(parts, 0);
  }

  equal(a: K, b: K): boolean {
    return a === b || this.encode(a) === this.encode(b);
  }
}

/** The error for a text that is no key. */
export function badKey(text: string, why: string): MeshError {
  return new MeshError("graph-bad-key", `The text "${text}" is not a key of this table: ${why}.`, {
    remedy: "Use a key from the dump of the table.",
  });
}

const CODES: readonly (readonly [char: string, code: string])[] = [
  ["%", "%25"],
  ["|", "%7C"],
  [",", "%2C"],
  ["/", "%2F"],
];

/** Percent-encodes `%`, `|` and the characters of `more` (`,` and `/` are possible). */
export function escapeText(text: string, more = ""): string {
  let escaped = text;
  for (const [char, code] of CODES) {
    const wanted = char === "%" || char === SEPARATOR || more.includes(char);
    if (wanted && escaped.includes(char)) escaped = escaped.replaceAll(char, code);
  }
  return escaped;
}

/** Undoes {@link escapeText}. */
export function unescapeText(text: string): string {
  if (!text.includes("%")) return text;
  return text.replace(/%(25|7C|2C|2F)/g, (code) => CODES.find(([, known]) => known === code)![0]);
}
