/**
 * Mutations of inputs, by a generator that gives the same ones for the same seed.
 *
 * @module
 */

/** Gives whole numbers below a bound. */
export type Random = (below: number) => number;

/** A generator (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) % below;
  };
}

/** Values at which parsers tend to go wrong. */
const BOUNDARIES = [0, 1, 0x7f, 0x80, 0xff];
/** Longest input, bytes. */
const MAX_SIZE = 4096;

/** Changes an input in one to eight ways; `other` is an input that parts are taken from. */
export function mutate(input: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  let bytes = [...input];
  for (let i = 1 + random(8); i > 0; i--) bytes = change(bytes, other, random);
  return Uint8Array.from(bytes.slice(0, MAX_SIZE));
}

function change(bytes: number[], other: Uint8Array, random: Random): number[] {
  const at = random(bytes.length + 1);
  const length = random(Math.min(64, bytes.length - at + 1));
  const rest = bytes.slice(at + length);
  switch (random(6)) {
    case 0:
      return bytes.length === 0 ? bytes : bytes.with(random(bytes.length), random(256));
    case 1:
      return [
        ...bytes.slice(0, at),
        BOUNDARIES[random(BOUNDARIES.length)]!,
        ...bytes.slice(at + 1),
      ];
    case 2:
      return [...bytes.slice(0, at), ...rest];
    case 3:
      return [...bytes.slice(0, at + length), ...bytes.slice(at, at + length), ...rest];
    case 4:
      return [...bytes.slice(0, at), random(256), ...bytes.slice(at)];
    default: {
      const from = random(other.length + 1);
      return [...bytes.slice(0, at), ...other.subarray(from, from + random(256)), ...rest];
    }
  }
}
