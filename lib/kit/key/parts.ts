/**
 * Codecs of the fields that keys are made of. Each is the codec of a whole key,
 * too: a table with a single host as its key has the codec `text`.
 *
 * @module
 */
import { badKey, escapeText, type KeyCodec, PartsCodec, unescapeText } from "./codec.ts";

/** Any text. As a whole key it is its own text. */
export const text: KeyCodec<string> = new class extends PartsCodec<string> {
  constructor() {
    super(1);
  }

  override encode(key: string): string {
    return key;
  }

  override decode(key: string): string {
    return key;
  }

  write(key: string): string {
    // Hosts and namespaces hold neither character.
    return key.includes("|") || key.includes("%") ? escapeText(key) : key;
  }

  read(parts: readonly string[], at: number): string {
    return unescapeText(parts[at]!);
  }
}();

/** A whole number, such as a port. */
export const integer: KeyCodec<number> = new class extends PartsCodec<number> {
  constructor() {
    super(1);
  }

  write(key: number): string {
    return `${key}`;
  }

  read(parts: readonly string[], at: number): number {
    const part = parts[at]!;
    const value = Number(part);
    if (!Number.isSafeInteger(value) || `${value}` !== part) {
      throw badKey(part, "it is not a whole number");
    }
    return value;
  }
}();

class OneOf<K extends string> extends PartsCodec<K> {
  constructor(private readonly values: readonly K[]) {
    super(1);
  }

  write(key: K): string {
    return key;
  }

  read(parts: readonly string[], at: number): K {
    const part = parts[at] as K;
    if (!this.values.includes(part)) throw badKey(part, `it is not one of ${this.values.join()}`);
    return part;
  }
}

/** One of some words without `|`, `%`, `,` and `/`. */
export function oneOf<const K extends string>(...values: readonly K[]): KeyCodec<K> {
  return new OneOf(values);
}

/** A condition: written as a word if it holds, and as an empty text otherwise. */
export function flag(word: string): KeyCodec<boolean> {
  return converted(oneOf("", word), {
    encode: (holds: boolean) => holds ? word : "",
    decode: (part) => part !== "",
  });
}

class List<T> extends PartsCodec<readonly T[]> {
  constructor(private readonly element: KeyCodec<T>) {
    super(1);
  }

  write(key: readonly T[]): string {
    let out = "";
    for (let i = 0; i < key.length; i++) {
      const one = escapeText(this.element.encode(key[i]!), ",");
      out += (i === 0 ? "" : ",") + (one === "" ? EMPTY : one);
    }
    return out;
  }

  read(parts: readonly string[], at: number): readonly T[] {
    const part = parts[at]!;
    if (part === "") return [];
    return part.split(",").map((one) =>
      this.element.decode(one === EMPTY ? "" : unescapeText(one))
    );
  }
}

/** An empty text where nothing would mean that there is none. No escaped text is this. */
const EMPTY = "%";

/** A list, in one part: elements joined by commas. The order matters. */
export function list<T>(element: KeyCodec<T>): KeyCodec<readonly T[]> {
  return new List(element);
}

class Optional<K> extends PartsCodec<K | undefined> {
  readonly #absent: string;

  constructor(private readonly inner: KeyCodec<K>) {
    super(inner.arity);
    this.#absent = "|".repeat(inner.arity - 1);
  }

  write(key: K | undefined): string {
    if (key === undefined) return this.#absent;
    const written = this.inner.write(key);
    // One mark more than there are: what is inside may be optional itself.
    return /^%*(\||$)/.test(written) ? EMPTY + written : written;
  }

  read(parts: readonly string[], at: number): K | undefined {
    const first = parts[at]!;
    if (first === "") {
      const own = parts.slice(at, at + this.arity).join("|");
      if (own === this.#absent) return undefined;
      throw badKey(own, "its first part is missing");
    }
    if (!/^%+$/.test(first)) return this.inner.read(parts, at);
    return this.inner.read([first.slice(1), ...parts.slice(at + 1, at + this.arity)], 0);
  }
}

/** A key or none, in as many parts as the key has. */
export function optional<K>(codec: KeyCodec<K>): KeyCodec<K | undefined> {
  return new Optional(codec);
}

/** Conversion of values of another type to keys. */
export interface Conversion<K, C> {
  encode(key: K): C;
  decode(written: C): K;
}

class Converted<K, C> extends PartsCodec<K> {
  constructor(private readonly by: KeyCodec<C>, private readonly conversion: Conversion<K, C>) {
    super(by.arity);
  }

  override encode(key: K): string {
    return this.by.encode(this.conversion.encode(key));
  }

  override decode(text: string): K {
    return this.conversion.decode(this.by.decode(text));
  }

  write(key: K): string {
    return this.by.write(this.conversion.encode(key));
  }

  read(parts: readonly string[], at: number): K {
    return this.conversion.decode(this.by.read(parts, at));
  }
}

/** A codec for another type, such as labels as canonical JSON: `converted(text, { encode, decode })`. */
export function converted<K, C>(by: KeyCodec<C>, conversion: Conversion<K, C>): KeyCodec<K> {
  return new Converted(by, conversion);
}
