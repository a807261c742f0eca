import assert from "node:assert/strict";
import { DEFAULT_YAML_LIMITS, parseYaml, readYaml, toYaml } from "./mod.ts";

function outcome(text: string, limits = DEFAULT_YAML_LIMITS): unknown[] {
  return [...readYaml(text, limits)].map(({ document, problem }) =>
    problem ? [problem.code, problem.line, problem.column] : plain(document.value)
  );
}

/** Maps have no prototype, which a strict comparison would report. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, item) => typeof item === "bigint" ? `${item}n` : item),
  );
}

Deno.test("yaml: values are read as the orchestrator's tools read them", () => {
  const cases: [string, unknown][] = [
    ["yes", true],
    ["off", false],
    ["y", true],
    ["'yes'", "yes"],
    ["014", 12],
    ["0x1F", 31],
    ["1_000", 1000],
    ["1e3", 1000],
    ["~", null],
    [".", "."],
    ["2001-01-01", "2001-01-01"],
    ["1:30", "1:30"],
    ["1:2:3.5", "1:2:3.5"],
    ["12345678901234567890", "12345678901234567890n"],
    ["[1.2.3.4, 001:db8::]", ["1.2.3.4", "001:db8::"]],
    ["[x, y::, z]", ["x", "y::", "z"]],
    ["{address: fe80::}", { address: "fe80::" }],
    ['{"a":[1,{"b":2}]}', { a: [1, { b: 2 }] }],
    ["|\n  a\n  b\n", "a\nb\n"],
  ];
  for (const [text, value] of cases) {
    assert.deepEqual(outcome(`v: ${text}`), [{ v: value }], text);
  }
});

Deno.test("yaml: tabs indent JSON", () => {
  assert.deepEqual(outcome('{\n\t"b": {\n\t\t"c": [\n\t\t\t1\n\t\t]\n\t}\n}'), [{ b: { c: [1] } }]);
});

Deno.test("yaml: keys stay as written", () => {
  assert.deepEqual(outcome("on: 1\ny: 2\n014: 3\n'q': 4"), [{ on: 1, y: 2, "014": 3, q: 4 }]);
});

Deno.test("yaml: merges copy what the map does not have", () => {
  const text = "base: &b {x: 1, z: 2}\na: {<<: *b, z: 3}\nc: {<<: [{z: 9}, *b]}";
  assert.deepEqual(outcome(text), [
    { base: { x: 1, z: 2 }, a: { x: 1, z: 3 }, c: { z: 9, x: 1 } },
  ]);
});

Deno.test("yaml: problems have positions", () => {
  const cases: [string, string, number, number][] = [
    ["a: 1\nb: 2\na: 3", "yaml-duplicate-key", 3, 1],
    ["x:\n  a: 1\n  'a': 2", "yaml-duplicate-key", 3, 3],
    ["a: 1\n b: 2", "yaml-syntax", 2, 3],
    ["k: 'open\n", "yaml-syntax", 2, 1],
    ["a: *x", "yaml-alias", 1, 4],
    ["a: &x {b: *x}", "yaml-alias", 1, 11],
    ["a: !foo bar", "yaml-tag", 1, 4],
    ["a: !!binary aGk=", "yaml-tag", 1, 4],
    ["? [a]\n: b", "yaml-key", 1, 3],
    ["ok: 1\n__proto__: {}", "yaml-key", 2, 1],
    ["a: {<<: 3}", "yaml-merge", 1, 5],
    ["a: \x01", "yaml-control-character", 1, 4],
  ];
  for (const [text, code, line, column] of cases) {
    assert.deepEqual(outcome(text), [[code, line, column]], text);
  }
});

Deno.test("yaml: a duplicate key names both lines", () => {
  const [result] = [...readYaml("a: 1\nb: 2\na: 3")];
  assert.equal(result?.problem?.line, 3);
  assert.match(result?.problem?.message ?? "", /line 1/);
});

Deno.test("yaml: a broken document leaves the others alone", () => {
  const text = "a: [\n---\nok: 1\n---\nk: 'x\n...\n# only a comment\n---\n%YAML 1.1\n---\n" +
    "text: |\n  a\n--- {last: 2}\n---\n";
  assert.deepEqual(outcome(text), [
    ["yaml-syntax", 2, 1],
    { ok: 1 },
    ["yaml-syntax", 6, 1],
    { text: "a\n" },
    { last: 2 },
  ]);
});

Deno.test("yaml: directives before a document do not move its lines", () => {
  const [result] = [...readYaml("%YAML 1.2\n# c\n---\na: 1\n")];
  assert.equal(result?.document?.line, 4);
});

Deno.test("yaml: positions are those of the file", () => {
  const text = "first: 1\n---\nspec:\n  some_list:\n  - a: 1\n  - b: {c: 2}\n    empty:\n";
  const document = [...readYaml(text)][1]?.document;
  assert.equal(document?.line, 3);
  const cases: [(string | number)[], "key" | "value", number, number][] = [
    [["spec", "someList", 1, "b", "c"], "value", 6, 12],
    [["spec", "someList", 1, "b", "c"], "key", 6, 9],
    [["spec", "someList", 0], "value", 5, 5],
    [["spec", "someList", 1, "empty"], "value", 7, 5],
    [["spec", "absent", "deeper"], "value", 3, 1],
    [[], "value", 3, 1],
  ];
  for (const [path, target, line, column] of cases) {
    assert.deepEqual(document?.locate(path, target), { line, column }, path.join("."));
  }
});

Deno.test("yaml: bombs fail fast", () => {
  const levels = Array.from({ length: 30 }, (_, i) => {
    const alias = `*a${i}`;
    return `a${i + 1}: &a${i + 1} [${Array(10).fill(alias).join(", ")}]`;
  });
  const cases: [string, string, string][] = [
    ["laughs", `a0: &a0 [x, x]\n${levels.join("\n")}`, "yaml-alias-limit"],
    ["long text", `a: &a ${"x".repeat(100_000)}\nb: [${"*a, ".repeat(1000)}]`, "yaml-alias-limit"],
    ["open brackets", "[".repeat(90_000), "yaml-too-deep"],
    ["brackets", "[".repeat(20_000) + "]".repeat(20_000), "yaml-too-deep"],
    ["dashes", "- ".repeat(20_000) + "x", "yaml-too-deep"],
    ["maps", "{a: ".repeat(20_000), "yaml-too-deep"],
    ["items", "- a\n".repeat(500_000), "yaml-too-large"],
    ["commas", `[${"a,".repeat(500_000)}]`, "yaml-too-large"],
    ["length", `a: ${"x".repeat(3 * 1024 * 1024)}`, "yaml-too-large"],
  ];
  for (const [name, text, code] of cases) {
    const start = performance.now();
    const [result] = [...readYaml(text)];
    assert.equal(result?.problem?.code, code, name);
    const ms = performance.now() - start;
    assert.ok(ms < 15_000, `${name} took ${ms} ms`);
  }
});

Deno.test("yaml: aliases within bounds are read", () => {
  assert.deepEqual(outcome("a: &a {x: 1}\nb: [*a, *a]"), [{
    a: { x: 1 },
    b: [{ x: 1 }, { x: 1 }],
  }]);
});

Deno.test("yaml: one document where one is meant", () => {
  assert.equal(parseYaml(""), undefined);
  assert.equal(parseYaml("3"), 3);
  assert.throws(() => parseYaml("a: 1\n---\nb: 1"), { code: "yaml-documents" });
  assert.throws(() => parseYaml("\na: [", DEFAULT_YAML_LIMITS), { code: "yaml-syntax" });
});

Deno.test("yaml: texts that newer YAML reads as numbers are quoted", () => {
  assert.equal(toYaml(["0o7", "1e3", "y", "word"]), "- '0o7'\n- '1e3'\n- 'y'\n- word\n");
});

Deno.test("yaml: tags are obeyed or refused", () => {
  assert.deepEqual(outcome("a: !!str 5\nb: !!int 0x10\nc: ! yes\nd: !!seq [1]"), [
    { a: "5", b: 16, c: "yes", d: [1] },
  ]);
  assert.deepEqual(outcome("a: !!int x"), [["yaml-tag", 1, 4]]);
  assert.deepEqual(outcome("a: !!map [x]"), [["yaml-tag", 1, 4]]);
});

Deno.test("yaml: a word may have any character, and colons at its end in brackets", () => {
  const text = 'a: [\ue000::, "q:"]\nb: {x:, y: z::}\nc: # :]\n  d::e\n';
  assert.deepEqual(outcome(text), [{
    a: ["\ue000::", "q:"],
    b: { "x:": null, y: "z::" },
    c: "d::e",
  }]);
});

Deno.test("yaml: written values are read back", () => {
  const value = {
    words: [
      "yes",
      "n",
      "1:30",
      "012",
      "0x1",
      "2001-01-01",
      "~",
      ".",
      "",
      " x ",
      "a\nb\n",
      "y::",
      "1e3",
    ],
    numbers: [0, -1, 1.5, 1e21],
    flags: [true, false, null],
    nested: { "on": { "a/b": [] } },
  };
  assert.deepEqual(plain(parseYaml(toYaml(value))), value);
});
