import assert from "node:assert/strict";
import { fragments, inversions, misuses, type Retired, testNames, wordsOf } from "./words.ts";

const RETIRED: readonly Retired[] = [
  { forms: ["parrot", "parrots"], use: "relay" },
  { forms: ["set aside"], use: "rejected" },
  { forms: ["cage"], use: "limit", only: ["lib/mesh/xds/"], still: ["lib/mesh/xds/old.ts"] },
];

const CASES: { name: string; path: string; text: string; found: string[] }[] = [
  { name: "no retired word", path: "lib/a.ts", text: "const relay = 1;", found: [] },
  { name: "a word of a comment", path: "lib/a.ts", text: "\n// two parrots", found: ["2 parrots"] },
  { name: "part of an identifier", path: "lib/a.ts", text: "oldParrotOf", found: ["1 parrot"] },
  { name: "part of a constant", path: "lib/a.ts", text: "MAX_PARROT_MS", found: ["1 parrot"] },
  { name: "a longer word that contains it", path: "lib/a.ts", text: "parrotry", found: [] },
  { name: "a file name", path: "lib/my_parrot.ts", text: "", found: ["0 parrot"] },
  { name: "a phrase", path: "lib/a.ts", text: "it was set aside", found: ["1 set aside"] },
  { name: "a phrase in an identifier", path: "lib/a.ts", text: "setAside", found: ["1 set aside"] },
  { name: "half of a phrase", path: "lib/a.ts", text: "set it aside", found: [] },
  { name: "a word of one folder, elsewhere", path: "lib/kit/rpc/a.ts", text: "cage", found: [] },
  { name: "a word of one folder", path: "lib/mesh/xds/a.ts", text: "cage", found: ["1 cage"] },
  { name: "an exempt file", path: "lib/mesh/xds/old.ts", text: "cage", found: [] },
];

for (const { name, path, text, found } of CASES) {
  Deno.test(`retired words: ${name}`, () => {
    const result = misuses(path, text, RETIRED).map(({ line, form }) => `${line} ${form}`);
    assert.deepEqual(result, found);
  });
}

Deno.test("words of an identifier are split at its case", () => {
  assert.deepEqual(wordsOf("buildHTTPFilter of_node2"), ["build", "http", "filter", "of", "node"]);
});

const COMMENTS: { name: string; path: string; text: string; found: string[] }[] = [
  {
    name: "a fragment on one line",
    path: "a.ts",
    text: "/** What it is. */",
    found: ["1 /** What"],
  },
  { name: "a fragment, indented", path: "a.ts", text: "\n  /** Of a. */", found: ["2 /** Of"] },
  { name: "a fragment of lines", path: "a.ts", text: "/**\n * Where", found: [] },
  {
    name: "a fragment in a block",
    path: "a.ts",
    text: "/**\n * Whether it runs.\n */",
    found: ["2 /** Whether"],
  },
  { name: "a later line", path: "a.ts", text: "/**\n * Reports\n * What runs.\n */", found: [] },
  { name: "a term", path: "a.ts", text: "/** What-if queries. */", found: [] },
  { name: "a sentence", path: "a.ts", text: "/** Reports if it runs. */", found: [] },
  { name: "another file", path: "a.md", text: "/** What it is. */", found: [] },
];

for (const { name, path, text, found } of COMMENTS) {
  Deno.test(`doc comments: ${name}`, () => {
    assert.deepEqual(fragments(path, text).map(({ line, form }) => `${line} ${form}`), found);
  });
}

const TEST_NAMES: { name: string; text: string; found: string[] }[] = [
  { name: "a question word", text: 'Deno.test("what is kept", f);', found: ["1 what"] },
  { name: "a step", text: "\nawait t.step(`Whose it is`, f);", found: ["2 Whose"] },
  { name: "a prefix", text: 'Deno.test("delta: who comes back", f);', found: ["1 who"] },
  { name: "a wrapped test", text: 'Deno.test(\n  withGuard("of two, one", f));', found: ["2 of"] },
  { name: "a case", text: '{ name: "whether it runs" }', found: ["1 whether"] },
  { name: "a statement", text: 'Deno.test("a NACK keeps what was sent", f);', found: [] },
  { name: "a longer word", text: 'Deno.test("offers are kept", f);', found: [] },
  { name: "a term", text: 'Deno.test("what-if: an edit", f);', found: [] },
  { name: "another call", text: 'log.info("what is kept");', found: [] },
];

for (const { name, text, found } of TEST_NAMES) {
  Deno.test(`test names: ${name}`, () => {
    assert.deepEqual(testNames("a.ts", text).map(({ line, form }) => `${line} ${form}`), found);
  });
}

const SENTENCES: { name: string; path: string; text: string; found: string[] }[] = [
  { name: "Of", path: "a.ts", text: " * Ports. Of two ports one counts.", found: ["1 Of"] },
  { name: "What of", path: "a.md", text: "\nWhat of the rest", found: ["2 What of"] },
  { name: "So does", path: "a.md", text: "It ends. So does the other.", found: ["1 So does"] },
  { name: "Nor is", path: "a.ts", text: "// Nor is it read.", found: ["1 Nor is"] },
  { name: "Whoever", path: "a.md", text: "- Whoever reads it", found: ["1 Whoever"] },
  { name: "a plain sentence", path: "a.md", text: "The port of two. So that it ends.", found: [] },
  { name: "code", path: "a.ts", text: 'const a = "Of two";', found: [] },
  { name: "another file", path: "a.yaml", text: "Of two", found: [] },
];

for (const { name, path, text, found } of SENTENCES) {
  Deno.test(`sentences: ${name}`, () => {
    assert.deepEqual(inversions(path, text).map(({ line, form }) => `${line} ${form}`), found);
  });
}
