import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { EXEMPT, type ShapeRule } from "./exempt.ts";
import plugin from "./plugin.ts";
import { keys, lines, parameters, state } from "./shape.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

function lint(file: string, source: string): string[] {
  return Deno.lint.runPlugin(plugin, ROOT + file, source).map((found) => found.id);
}

const CASES: { name: string; file?: string; source: string; ids: string[] }[] = [
  { name: "a key with a bar", source: "const x = `${a}|${b}`;", ids: ["mesh/keys"] },
  { name: "a key as argument", source: "read.get(table, `${a}/${b}`);", ids: ["mesh/keys"] },
  { name: "a bucket as argument", source: "read.any(index, `x/${b}`);", ids: ["mesh/keys"] },
  { name: "a text split at bars", source: 'member.split("|");', ids: ["mesh/keys"] },
  { name: "a key cut", source: "key.slice(0, 3);", ids: ["mesh/keys"] },
  { name: "a key searched", source: 'serviceKey.indexOf("/");', ids: ["mesh/keys"] },
  { name: "the helper for keys", source: "splitKey(key, 3);", ids: ["mesh/keys"] },
  {
    name: "a codec's own conversion",
    source: "converted(text, { encode: (x) => `${x.a}|${x.b}`, decode: (key) => key.slice(1) });",
    ids: [],
  },
  { name: "a message", source: "const x = `namespace ${a}, host ${b}`;", ids: [] },
  { name: "a typed key", source: "read.get(table, { namespace, host });", ids: [] },
  { name: "a key in a test", file: "lib/mesh/derive/x_test.ts", source: "`${a}|${b}`;", ids: [] },
  {
    name: "a key taken apart in ingest",
    file: "lib/mesh/ingest/x.ts",
    source: "key.slice(1);",
    ids: ["mesh/keys"],
  },
  {
    name: "a key taken apart on a page",
    file: "lib/insight/debug/x.ts",
    source: 'key.indexOf("/");',
    ids: ["mesh/keys"],
  },
  {
    name: "a bar in the analysis",
    file: "lib/insight/analyze/x.ts",
    source: "`${a}|${b}`;",
    ids: ["mesh/keys"],
  },
  {
    name: "a name taken apart in the simulation",
    file: "lib/insight/simulate/x.ts",
    source: 'name.split("|");',
    ids: ["mesh/keys"],
  },
  { name: "a bar in another room", file: "lib/kit/web/x.ts", source: "`${a}|${b}`;", ids: [] },
  {
    name: "a key of an object",
    file: "lib/mesh/sources/x.ts",
    source: "const x = `${meta.namespace}/${meta.name}`;",
    ids: ["mesh/keys"],
  },
  {
    name: "a reference to an object",
    file: "cmd/pilot/x.ts",
    source: "const x = `${o.kind}/${o.namespace}/${o.name}`;",
    ids: ["mesh/keys"],
  },
  {
    name: "a key of an object that is shown",
    source: "`${namespace}/${name}`;",
    ids: ["mesh/keys"],
  },
  {
    name: "a path of a file",
    file: "lib/mesh/sources/x.ts",
    source: "const x = `${dir}/${namespace}/${name}`;",
    ids: [],
  },
  { name: "five parameters", source: "function f(a, b, c, d, e) {}", ids: ["mesh/parameters"] },
  { name: "five in an arrow", source: "const f = (a, b, c, d, e) => a;", ids: ["mesh/parameters"] },
  {
    name: "five in a constructor",
    source: "class A { constructor(a, b, c, d, ...e) {} }",
    ids: ["mesh/parameters"],
  },
  { name: "four parameters", source: "function f(a, b, c, { d, e }) {}", ids: [] },
  {
    name: "`this` beside four",
    source: "function f(this: X, a: 1, b: 2, c: 3, d: 4) {}",
    ids: [],
  },
  {
    name: "a function of 81 lines",
    source: `function f() {${"\n".repeat(80)}}`,
    ids: ["mesh/lines"],
  },
  { name: "a function of 80 lines", source: `function f() {${"\n".repeat(79)}}`, ids: [] },
  {
    name: "lines of a function inside",
    file: "lib/mesh/xds/x.ts",
    source: `const f = () => {\nreturn () => {${"\n".repeat(78)}};\n};`,
    ids: ["mesh/lines"],
  },
  {
    name: "a long table in a function",
    source: `function f() {\nreturn [\n${"{ a: 1,\nb: 2 },\n".repeat(90)}];\n}`,
    ids: [],
  },
  {
    name: "a long template in a function",
    source: `function f() {\nreturn \`${"a\n".repeat(90)}\`;\n}`,
    ids: [],
  },
  {
    name: "code of functions in a literal",
    source: `function f() {\nreturn {\na() {\n${"x();\n".repeat(40)}},\nb() {\n${
      "x();\n".repeat(40)
    }},\n};\n}`,
    ids: ["mesh/lines"],
  },
  {
    name: "statements around a table",
    source: `function f() {\n${"x();\n".repeat(79)}return [\n1,\n];\n}`,
    ids: ["mesh/lines"],
  },
  {
    name: "a class of short methods",
    source: `class A { f() {${"\n".repeat(60)}}\ng() {${"\n".repeat(60)}} }`,
    ids: [],
  },
  {
    name: "a long test",
    file: "lib/mesh/derive/x_test.ts",
    source: `Deno.test("x", () => {${"\n".repeat(90)}});`,
    ids: [],
  },
  { name: "a variable of a module", source: "let x = 1;", ids: ["mesh/state"] },
  { name: "a weak map", source: "const x = new WeakMap();", ids: ["mesh/state"] },
  { name: "a weak map inside", source: "const x = { y: new WeakMap() };", ids: ["mesh/state"] },
  {
    name: "a map that is changed",
    source: "const x = new Map(); function f() { x.set(1, 2); }",
    ids: ["mesh/state"],
  },
  {
    name: "a list that is changed",
    source: "const x = []; function f() { x.push(1); }",
    ids: ["mesh/state"],
  },
  {
    name: "an object that is changed",
    source: "const x = {}; function f() { x.y = 1; }",
    ids: ["mesh/state"],
  },
  { name: "a constant map", source: "const x = new Map([[1, 2]]); x.get(1);", ids: [] },
  { name: "state in a function", source: "function f() { let x = 1; new WeakMap(); }", ids: [] },
  { name: "state in another room", file: "lib/mesh/xds/x.ts", source: "let x = 1;", ids: [] },
];

for (const { name, file = "lib/mesh/derive/x.ts", source, ids } of CASES) {
  Deno.test(`shape: ${name} in ${file}: ${ids.join(", ") || "in order"}`, () => {
    assert.deepEqual(lint(file, source), ids);
  });
}

const RULES = { keys, lines, parameters, state };

for (const rule of Object.keys(EXEMPT) as ShapeRule[]) {
  Deno.test(`shape: every file that is exempt from ${rule} needs to be`, async () => {
    for (const file of EXEMPT[rule]) {
      const create = (context: Deno.lint.RuleContext) => RULES[rule](context, file);
      const bare: Deno.lint.Plugin = { name: "mesh", rules: { [rule]: { create } } };
      const found = Deno.lint.runPlugin(bare, ROOT + file, await Deno.readTextFile(ROOT + file));
      assert.notEqual(found.length, 0, `${file} complies: remove it from scripts/lint/exempt.ts`);
    }
  });
}

Deno.test("shape: every exempt file is there and sorted, once each", async () => {
  for (const rule of Object.keys(EXEMPT) as ShapeRule[]) {
    assert.deepEqual(EXEMPT[rule], [...new Set(EXEMPT[rule])].sort());
    for (const file of EXEMPT[rule]) assert.ok((await Deno.stat(ROOT + file)).isFile, file);
  }
});
