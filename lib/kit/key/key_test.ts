/** Codecs of keys: one text for each key, one key for each text. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  converted,
  flag,
  integer,
  type KeyCodec,
  keyOf,
  list,
  oneOf,
  optional,
  parseRowRef,
  pathOf,
  rowRef,
  showRow,
  text,
} from "./mod.ts";

interface Rule {
  readonly namespace: string;
  readonly name: string;
}

interface Everything {
  readonly plain: string;
  readonly port: number;
  readonly family: "v4" | "v6";
  readonly given: boolean;
  readonly rule: Rule;
  readonly rules: readonly Rule[];
  readonly words: readonly string[];
  readonly none: { readonly a: string; readonly b: string | undefined } | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

const rule = pathOf<Rule>({ namespace: text, name: text });
const pair = keyOf<{ readonly a: string; readonly b: string | undefined }>({
  a: text,
  b: optional(text),
});
const everything: KeyCodec<Everything> = keyOf<Everything>({
  plain: text,
  port: integer,
  family: oneOf("v4", "v6"),
  given: flag("given"),
  rule,
  rules: list(rule),
  words: list(text),
  none: optional(pair),
  labels: converted(text, {
    encode: (labels: Readonly<Record<string, string>>) => JSON.stringify(labels),
    decode: (json) => JSON.parse(json),
  }),
});

/** Text of the characters that codecs treat specially, among others. */
const words = fc.string({ unit: fc.constantFrom("a", "|", "%", ",", "/", "2", "5", "é", "") });

const PLAIN = { noNullPrototype: true } as const;
const named = fc.record({ namespace: words, name: words }, PLAIN);

const keys: fc.Arbitrary<Everything> = fc.record({
  plain: words,
  port: fc.integer(),
  family: fc.constantFrom("v4", "v6"),
  given: fc.boolean(),
  rule: named,
  rules: fc.array(named, { maxLength: 3 }),
  words: fc.array(words, { maxLength: 3 }),
  none: fc.option(fc.record({ a: words, b: fc.option(words, { nil: undefined }) }, PLAIN), {
    nil: undefined,
  }),
  labels: fc.dictionary(fc.constantFrom("x", "y"), words, { noNullPrototype: true }),
}, PLAIN);

Deno.test("a key is read back as it was written, alone and inside a larger key", () => {
  const larger = keyOf<{ before: string; inner: Everything; after: readonly Everything[] }>({
    before: text,
    inner: everything,
    after: list(everything),
  });
  fc.assert(fc.property(keys, words, (key, word) => {
    assert.deepEqual(everything.decode(everything.encode(key)), key);
    const outer = { before: word, inner: key, after: [key, key] };
    assert.deepEqual(larger.decode(larger.encode(outer)), outer);
  }));
});

Deno.test("different keys have different texts", () => {
  fc.assert(fc.property(keys, keys, (a, b) => {
    const same = JSON.stringify(a) === JSON.stringify(b);
    assert.equal(everything.encode(a) === everything.encode(b), same);
    assert.equal(everything.equal(a, b), same);
  }));
  const one = keyOf<{ a: string; b: string }>({ a: text, b: text });
  assert.notEqual(one.encode({ a: "x|y", b: "z" }), one.encode({ a: "x", b: "y|z" }));
});

Deno.test("keys are easy to read in dumps", () => {
  const host = keyOf<{ namespace: string; port: number; host: string; rules: readonly Rule[] }>({
    namespace: text,
    port: integer,
    host: text,
    rules: list(rule),
  });
  assert.equal(
    host.encode({ namespace: "shop", port: 80, host: "a.example", rules: [] }),
    "shop|80|a.example|",
  );
  const rules = [{ namespace: "shop", name: "a" }, { namespace: "shop", name: "b" }];
  assert.equal(
    host.encode({ namespace: "", port: 80, host: "*", rules }),
    "|80|*|shop/a,shop/b",
  );
});

const BAD: readonly [codec: KeyCodec<unknown>, bad: string, error: RegExp][] = [
  [pair, "a", /it has 1 parts in place of 2/],
  [pair, "a|b|c", /it has 3 parts in place of 2/],
  [integer, "x", /not a whole number/],
  [integer, "", /not a whole number/],
  [integer, "007", /not a whole number/],
  [oneOf("a", "b"), "c", /not one of a,b/],
  [rule, "a", /it has 1 segments in place of 2/],
  [optional(pair), "|b", /first part is missing/],
];

for (const [codec, bad, error] of BAD) {
  Deno.test(`"${bad}" is no key: ${error.source}`, () => {
    assert.throws(() => codec.decode(bad), error);
  });
}

Deno.test("references to rows are read back, and shown to people", () => {
  const row = { table: "VirtualService", key: "shop/a/b" };
  assert.equal(rowRef(row), "VirtualService/shop/a/b");
  assert.deepEqual(parseRowRef(rowRef(row)), row);
  assert.equal(parseRowRef("MeshConfig"), undefined);
  assert.equal(showRow(row), "VirtualService shop/a/b");
  assert.equal(showRow(row, 10), "VirtualSe…");
});
