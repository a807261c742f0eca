/**
 * Sets of small numbers, which are indexes of a list of names. Equal sets are one object within a
 * {@link BitPool}, so that streams with the same names share it.
 *
 * @module
 */

/** An immutable set. */
export type Bits = Uint32Array;

/** Adds a number; returns a larger set if it does not fit. */
export function withBit(bits: Bits, at: number): Bits {
  const word = at >>> 5;
  let target = bits;
  if (word >= bits.length) {
    target = new Uint32Array(Math.max(word + 1, bits.length * 2));
    target.set(bits);
  }
  target[word]! |= 1 << (at & 31);
  return target;
}

/** Reports if a set has a number. */
export function hasBit(bits: Bits, at: number): boolean {
  return ((bits[at >>> 5] ?? 0) & (1 << (at & 31))) !== 0;
}

/** The intersection. */
export function common(a: Bits, b: Bits): Bits {
  const out = new Uint32Array(Math.min(a.length, b.length));
  for (let i = 0; i < out.length; i++) out[i] = a[i]! & b[i]!;
  return out;
}

export function union(a: Bits, b: Bits): Bits {
  const [small, large] = a.length < b.length ? [a, b] : [b, a];
  const out = large.slice();
  for (let i = 0; i < small.length; i++) out[i]! |= small[i]!;
  return out;
}

/** Reports if two sets intersect. */
export function meets(a: Bits, b: Bits): boolean {
  const words = Math.min(a.length, b.length);
  for (let i = 0; i < words; i++) if ((a[i]! & b[i]!) !== 0) return true;
  return false;
}

/** Reports if `a` is a subset of `b`. */
export function within(a: Bits, b: Bits): boolean {
  for (let i = 0; i < a.length; i++) if ((a[i]! & ~(b[i] ?? 0)) !== 0) return false;
  return true;
}

/** The numbers, ascending. */
export function* numbersOf(bits: Bits): Generator<number> {
  for (let word = 0; word < bits.length; word++) {
    for (let rest = bits[word]!; rest !== 0; rest &= rest - 1) {
      yield word * 32 + 31 - Math.clz32(rest & -rest);
    }
  }
}

/** Returns one object for equal sets. */
export interface BitPool {
  share(bits: Bits): Bits;
  /** Bytes of the sets. */
  readonly bytes: number;
}

/** An empty pool. */
export function bitPool(): BitPool {
  const known = new Map<string, Bits>();
  let bytes = 0;
  return {
    share(bits) {
      let words = bits.length;
      while (words > 0 && bits[words - 1] === 0) words--;
      const cut = words === bits.length ? bits : bits.slice(0, words);
      const key = cut.join();
      const found = known.get(key);
      if (found) return found;
      known.set(key, cut);
      bytes += cut.byteLength + key.length + 64;
      return cut;
    },
    get bytes() {
      return bytes;
    },
  };
}
