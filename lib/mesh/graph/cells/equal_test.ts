import assert from "node:assert/strict";
import { structuralEqual } from "./equal.ts";

class Opaque {
  readonly #secret: number;
  constructor(secret: number) {
    this.#secret = secret;
  }
  read(): number {
    return this.#secret;
  }
}

const one = new Opaque(1);
const bytes = (...values: number[]) => new Uint8Array(values);
/** Messages as the codec creates them: fields on a prototype without constructor. */
const messageShape = Object.create(null, { $typeName: { value: "m" } });
const message = (a: number) => Object.assign(Object.create(messageShape), { a });

const cases: readonly (readonly [what: string, a: unknown, b: unknown, equal: boolean])[] = [
  ["not-a-number", NaN, NaN, true],
  ["nothing and null", undefined, null, false],
  ["null and an object", null, {}, false],
  ["number and text", 1, "1", false],
  ["big integers", 1n, 1n, true],
  ["arrays", [1, [2]], [1, [2]], true],
  ["arrays of other length", [1], [1, undefined], false],
  ["array and object", [], {}, false],
  ["objects in another order", { a: 1, b: { c: 2 } }, { b: { c: 2 }, a: 1 }, true],
  ["an absent field and an undefined one", { a: undefined }, { b: undefined }, false],
  ["an object without prototype", Object.create(null), {}, false],
  ["messages", message(1), message(1), true],
  ["other messages", message(1), message(2), false],
  ["maps", new Map([["a", [1]]]), new Map([["a", [1]]]), true],
  ["maps with other keys", new Map([["a", undefined]]), new Map([["b", undefined]]), false],
  ["sets", new Set(["a", "b"]), new Set(["b", "a"]), true],
  ["other sets", new Set(["a"]), new Set(["b"]), false],
  ["bytes", bytes(1, 2), bytes(1, 2), true],
  ["other bytes", bytes(1, 2), bytes(1, 3), false],
  ["a slice and a copy", bytes(0, 1).subarray(1), bytes(1), true],
  ["instances with hidden state", one, new Opaque(1), false],
  ["the same instance", one, one, true],
  ["dates, whose time is hidden", new Date(1), new Date(2), false],
];

for (const [what, a, b, equal] of cases) {
  Deno.test(`structural equality: ${what}`, () => {
    assert.equal(structuralEqual(a, b), equal);
    assert.equal(structuralEqual(b, a), equal);
  });
}
