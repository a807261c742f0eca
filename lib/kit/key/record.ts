/**
 * Codecs of keys with several fields.
 *
 * @module
 */
import { badKey, escapeText, type KeyCodec, PartsCodec, unescapeText } from "./codec.ts";

/** A codec for each field of a key. */
export type FieldCodecs<K> = { readonly [N in keyof K]-?: KeyCodec<K[N]> };

class RecordCodec<K> extends PartsCodec<K> {
  readonly #names: readonly (keyof K)[];
  readonly #codecs: readonly KeyCodec<K[keyof K]>[];

  constructor(fields: FieldCodecs<K>) {
    const codecs = Object.values(fields) as KeyCodec<K[keyof K]>[];
    super(codecs.reduce((sum, { arity }) => sum + arity, 0));
    this.#names = Object.keys(fields) as (keyof K)[];
    this.#codecs = codecs;
  }

  write(key: K): string {
    const names = this.#names;
    const codecs = this.#codecs;
    let out = codecs[0]!.write(key[names[0]!]);
    for (let i = 1; i < names.length; i++) out += "|" + codecs[i]!.write(key[names[i]!]);
    return out;
  }

  read(parts: readonly string[], at: number): K {
    const key = {} as K;
    let from = at;
    for (let i = 0; i < this.#names.length; i++) {
      const codec = this.#codecs[i]!;
      key[this.#names[i]!] = codec.read(parts, from);
      from += codec.arity;
    }
    return key;
  }
}

/**
 * The codec of a key with these fields, in this order, joined by `|`. A field
 * that is a key itself takes as many parts as that one has.
 *
 * @example keyOf<HostKey>({ namespace: text, port: integer, host: text })
 */
export function keyOf<K>(fields: FieldCodecs<K>): KeyCodec<K> {
  return new RecordCodec(fields);
}

class PathCodec<K> extends PartsCodec<K> {
  readonly #names: readonly (keyof K)[];
  readonly #codecs: readonly KeyCodec<K[keyof K]>[];

  constructor(fields: FieldCodecs<K>) {
    super(1);
    this.#names = Object.keys(fields) as (keyof K)[];
    this.#codecs = Object.values(fields);
  }

  write(key: K): string {
    let out = "";
    for (let i = 0; i < this.#names.length; i++) {
      const one = this.#codecs[i]!.encode(key[this.#names[i]!]);
      out += (i === 0 ? "" : "/") + (PLAIN.test(one) ? one : escapeText(one, "/"));
    }
    return out;
  }

  read(parts: readonly string[], at: number): K {
    const part = parts[at]!;
    const found = part.split("/");
    if (found.length !== this.#names.length) {
      throw badKey(part, `it has ${found.length} segments in place of ${this.#names.length}`);
    }
    const key = {} as K;
    for (let i = 0; i < this.#names.length; i++) {
      key[this.#names[i]!] = this.#codecs[i]!.decode(unescapeText(found[i]!));
    }
    return key;
  }
}

const PLAIN = /^[^%|/]*$/;

/**
 * The codec of a key with these fields, in this order, joined by `/` into one
 * part: how objects (`namespace/name`) and services (`namespace/host`) are named.
 */
export function pathOf<K>(fields: FieldCodecs<K>): KeyCodec<K> {
  return new PathCodec(fields);
}
