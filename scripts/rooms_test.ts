import assert from "node:assert/strict";
import { cycles, findings, folderFindings, importsOf, unexplained } from "./rooms.ts";
import { withTable } from "./rooms_table.ts";

const CASES: {
  name: string;
  tree: Record<string, string>;
  imports?: Record<string, string>;
  found: RegExp[];
}[] = [
  {
    name: "rooms in order",
    tree: {
      "lib/kit/base/mod.ts": 'export * from "./a.ts";\n',
      "lib/kit/base/a.ts": "export const a = 1;\n",
      "lib/kit/env/mod.ts": 'import { a } from "../base/mod.ts";\nconsole.log(a);\n',
      "lib/kit/base/a_test.ts": 'import { a } from "./mod.ts";\nimport "./a_test.ts";\n',
    },
    imports: {
      "js-yaml": "npm:js-yaml@5.0.0",
      "fast-check": "npm:fast-check@4.10.2",
      "#x/": "./x/",
    },
    found: [],
  },
  {
    name: "three files that import each other",
    tree: {
      "lib/kit/base/mod.ts": "",
      "lib/kit/base/a.ts": 'import { b } from "./b.ts";\n',
      "lib/kit/base/b.ts": 'import {\n  type A,\n  c,\n} from "./c.ts";\n',
      "lib/kit/base/c.ts": 'export * from "./a.ts";\n',
    },
    found: [
      /files import each other: lib\/kit\/base\/a\.ts, lib\/kit\/base\/b\.ts, lib\/kit\/base\/c\.ts/,
    ],
  },
  {
    name: "two files of a room whose types refer to each other",
    tree: {
      "lib/kit/base/mod.ts": "",
      "lib/kit/base/a.ts": 'import type { B } from "./b.ts";\n',
      "lib/kit/base/b.ts": 'import { type A } from "./a.ts";\n',
    },
    found: [/files import each other: lib\/kit\/base\/a\.ts, lib\/kit\/base\/b\.ts/],
  },
  {
    name: "two rooms whose types refer to each other, by way of different files",
    tree: {
      "lib/kit/base/mod.ts": "",
      "lib/kit/base/a.ts": 'import type { Env } from "../env/mod.ts";\n',
      "lib/kit/env/mod.ts": "",
      "lib/kit/env/b.ts": 'import "../base/mod.ts";\n',
    },
    found: [/rooms import each other: base, env/],
  },
  {
    name: "a room without a row",
    tree: { "lib/kit/cellar/mod.ts": "" },
    found: [/lib\/kit\/cellar is not in the table/],
  },
  {
    name: "a room in another wing than its row says",
    tree: { "lib/mesh/base/mod.ts": "" },
    found: [/lib\/mesh\/base belongs into lib\/kit\/base/],
  },
  { name: "a room without an entry", tree: { "lib/kit/base/a.ts": "" }, found: [/has no mod\.ts/] },
  {
    name: "a package that nobody owns, at any version",
    tree: {},
    imports: { "left-pad": "npm:left-pad@^1.0.0" },
    found: [/left-pad belongs to no room/, /left-pad is not pinned/],
  },
];

for (const { name, tree, imports = {}, found } of CASES) {
  Deno.test(`rooms: ${name}`, () => {
    const actual = findings(new Map(Object.entries(tree)), imports);
    assert.equal(actual.length, found.length, actual.join("\n"));
    found.forEach((pattern, at) => assert.match(actual[at]!, pattern));
  });
}

Deno.test("rooms: every form of import is seen", () => {
  const text = [
    'import a from "1";',
    'import "2";',
    'import type { b } from "types 1";',
    'export * from "3";',
    'export { c, type d } from "4";',
    'export { type e, type f } from "types 2";',
    "import {",
    "  g,",
    '} from "5";',
    "export {",
    "  type h,",
    '} from "types 3";',
    'const i = await import("6");',
    'export const j = "no";',
    ' * import k from "no";',
  ].join("\n");
  const found = importsOf(text);
  const names = (typesOnly: boolean) =>
    found.filter((one) => one.typesOnly === typesOnly).map((one) => one.specifier).sort();
  assert.deepEqual(names(false), ["1", "2", "3", "4", "5", "6"]);
  assert.deepEqual(names(true), ["types 1", "types 2", "types 3"]);
});

Deno.test("rooms: a cycle of one and of many is found, a diamond is none", () => {
  const graph = (edges: Record<string, string[]>) =>
    new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]));
  assert.deepEqual(cycles(graph({ a: ["a"] })), [["a"]]);
  assert.deepEqual(cycles(graph({ a: ["b"], b: ["c"], c: ["b"] })), [["b", "c"]]);
  assert.deepEqual(cycles(graph({ a: ["b"], b: ["a", "c"], c: ["d"], d: ["c"] })), [["c", "d"], [
    "a",
    "b",
  ]]);
  assert.deepEqual(cycles(graph({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] })), []);
});

Deno.test("rooms: a package without a reason is named", () => {
  const imports = { yaml: "npm:yaml@2.9.1", "yaml-x": "npm:yaml-x@1.0.0", "#mesh/": "./x/" };
  const page = "| `yaml` | `text` | a reason |\n";
  assert.deepEqual(unexplained(page, imports), [
    "package yaml-x has no reason in docs/dependencies.md",
  ]);
});

Deno.test("rooms: the page's table is made of the rooms, and making it again changes nothing", () => {
  const rooms = [
    { name: "base", wing: "kit", purpose: "errors", pure: "safe" },
    { name: "graph", wing: "mesh", purpose: "the engine", pure: "held", packages: ["a", "b"] },
  ] as const;
  const page =
    "before\n\n<!-- rooms: `deno task rooms --write` -->\n\nold\n\n<!-- end of rooms -->\n";
  const made = withTable(page, rooms) ?? "";
  assert.match(made, /^before\n/);
  assert.match(
    made,
    /\| kit +\| `base` +\| errors +\| +\| +\|\n\| mesh +\| `graph` +\| the engine +\| yes +\| `a`, `b` \|/,
  );
  assert.doesNotMatch(made, /old/);
  assert.equal(withTable(made, rooms), made);
  assert.equal(withTable("no marks", rooms), undefined);
});

Deno.test("folders of a room import each other, by way of different files", () => {
  const tree = new Map([
    ["lib/kit/base/one/a.ts", 'import { b } from "../two/b.ts";\n'],
    ["lib/kit/base/two/b.ts", ""],
    ["lib/kit/base/two/c.ts", 'import type { D } from "../one/d.ts";\n'],
    ["lib/kit/base/one/d.ts", ""],
  ]);
  assert.deepEqual(folderFindings(tree, ""), [
    "folders of a room import each other: lib/kit/base/one, lib/kit/base/two",
  ]);
});

Deno.test("a folder imports one that its table lists after it", () => {
  const tree = new Map([
    ["lib/kit/base/one/a.ts", 'import { b } from "../two/b.ts";\n'],
    ["lib/kit/base/two/b.ts", ""],
  ]);
  const page = (order: string) =>
    `${order}\n\n| \`lib/kit/base/one\` |\n| \`lib/kit/base/two\` |\n`;
  assert.deepEqual(folderFindings(tree, page("Folders:")), []);
  assert.deepEqual(folderFindings(tree, page("Its folders, from the bottom up:")), [
    "lib/kit/base/one imports lib/kit/base/two, which docs/architecture.md lists after it",
  ]);
});
