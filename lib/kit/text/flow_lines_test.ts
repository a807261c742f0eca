/** Documents that the orchestrator's tools read, with indentation that YAML 1.2 forbids. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { indentFlowLines } from "./flow_lines.ts";
import { readYaml } from "./mod.ts";

/** CI uses a fixed seed. */
const SEED = Deno.env.get("CI") === undefined ? {} : { seed: 20_262 };

/** The values of a text's documents; a problem is its code and position. */
function read(text: string): unknown[] {
  return [...readYaml(text)].map(({ document, problem }) =>
    problem
      ? `${problem.code} ${problem.line}:${problem.column}`
      : JSON.parse(JSON.stringify(document.value))
  );
}

/** Values as libyaml, which the orchestrator's tools descend from, reads them. */
const READ: readonly (readonly [name: string, text: string, value: unknown])[] = [
  ["a bracket closes in the first column", "a: {\n  b: 1\n}\nc: 2\n", { a: { b: 1 }, c: 2 }],
  ["items in the column of their key", "a:\n  b: [\n  1\n  ]\n", { a: { b: [1] } }],
  ["items left of their key", "a:\n  b: {\nc: 1\n}\n", { a: { b: { c: 1 } } }],
  ["JSON in the first column", 'a: {\n"b": [\n1\n],\n"c": "x"\n}\n', { a: { b: [1], c: "x" } }],
  ["tabs before items", "a: {\n\tb: 1\n}\n", { a: { b: 1 } }],
  ["comments between items", "a: [ # [\n1, # ]\n2\n]\n", { a: [1, 2] }],
  ["quotes between brackets", "a: [\n'it''s ]', \"\\\"]\"\n]\n", { a: ["it's ]", '"]'] }],
  ["quotes that go on in the first column", 'a: "one\ntwo"\nb: 1\n', { a: "one two", b: 1 }],
  ["single quotes that go on", "a:\n  b: 'one\n\n two'\n", { a: { b: "one\ntwo" } }],
  ["tabs in quotes that go on", 'a: "one\n\ttwo"\n', { a: "one two" }],
  ["an item of a list", "- a: [\n1\n]\n  b: 2\n-   - {\nc: 3\n}\n", [{ a: [1], b: 2 }, [{ c: 3 }]]],
  ["behind an anchor and a tag", "a: &x !!map {\nb: 1\n}\nc: *x\n", { a: { b: 1 }, c: { b: 1 } }],
  ["behind a block", "a: |\n  [ {\n  '\nb: [\n1\n]\n", { a: "[ {\n'\n", b: [1] }],
  ["a block in a list", "- a: >-\n    {\n  b: [\n1\n]\n", [{ a: "{", b: [1] }]],
  ["brackets inside words", "a: b[c {d\ne: x'y\nf: [\n1\n]\n", { a: "b[c {d", e: "x'y", f: [1] }],
  ["brackets in comments", "a: 1 # {\n# [ '\nb: [\n1\n]\n", { a: 1, b: [1] }],
  ["line feeds of other systems", "a: {\r\nb: 1\r\n}\r\n", { a: { b: 1 } }],
  ["a key in quotes", "'a: {': [\n1\n]\n", { "a: {": [1] }],
  ["a block without a line feed at its end", "a: |\n  x", { a: "x" }],
  ["a byte order mark", "\ufeffa: 1\n", { a: 1 }],
];

for (const [name, text, value] of READ) {
  Deno.test(`yaml: ${name}`, () => assert.deepEqual(read(text), [value]));
}

Deno.test("yaml: a byte order mark before each document", () => {
  assert.deepEqual(read("\ufeffa: 1\n---\n\ufeffb: 1\n--- \n\ufeff# none\n"), [{ a: 1 }, { b: 1 }]);
});

Deno.test("yaml: positions and problems are those of the text as written", () => {
  const text = "a: {\nb: 1,\n\tc: [2,\n3]\n}\nd: e\n";
  const [result] = [...readYaml(text)];
  const at = (...path: (string | number)[]) => result?.document?.locate(path);
  assert.deepEqual(at("a", "b"), { line: 2, column: 4 });
  assert.deepEqual(at("a", "c", 1), { line: 4, column: 1 });
  assert.deepEqual(at("d"), { line: 6, column: 4 });
  assert.deepEqual(read("a: {\nb: 1,\nb: 2\n}\n"), ["yaml-duplicate-key 3:1"]);
  assert.deepEqual(read("a: {\nb: 1\n"), ["yaml-syntax 3:1"]);
  assert.deepEqual(read("a: {\nb: [}\n}\n"), ["yaml-syntax 2:5"]);
});

Deno.test("yaml: a text that would become too long is refused as it is", () => {
  const text = `${" ".repeat(1000)}a: [\n${"1,\n".repeat(1000)}]\n`;
  assert.equal(indentFlowLines(text, 500_000), undefined);
  assert.equal(read(`a:\n${text}`).length, 1);
});

/** Values whose text has whatever could be taken for brackets, quotes, comments and blocks. */
const anyText = fc.oneof(
  fc.constantFrom("#", " # ", "[", "]}", "'", '"', "|", "a: |", "- ", "\\", "x\ny", "é\u{1f600}"),
  fc.string({ maxLength: 6 }),
);
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    anyText,
    fc.integer(),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(anyText.filter((key) => key !== "__proto__" && key !== "<<"), tie("value"), {
      maxKeys: 3,
    }),
  ),
}));

Deno.test("yaml: indentation inside brackets has no meaning", () => {
  fc.assert(
    fc.property(anyValue, fc.array(fc.constantFrom("", " ", "\t", "   ")), (value, leads) => {
      let line = 0;
      const json = JSON.stringify({ value }, undefined, 2)
        .replace(/\n */g, () => `\n${leads[line++ % Math.max(1, leads.length)] ?? ""}`);
      const text = `a:\n  b: |\n    {\n  c: ${json}\nd: e[\n`;
      assert.deepEqual(read(text), [
        JSON.parse(JSON.stringify({ a: { b: "{\n", c: { value } }, d: "e[" })),
      ]);
    }),
    { numRuns: 300, ...SEED },
  );
});
