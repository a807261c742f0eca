import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import plugin from "./plugin.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

function lint(file: string, source: string): string[] {
  return Deno.lint.runPlugin(plugin, ROOT + file, source).map((found) => found.id);
}

const CASES: { name: string; file?: string; source: string; ids: string[] }[] = [
  { name: "a clock", source: "const t = Date.now();", ids: ["mesh/pure"] },
  { name: "a clock object", source: "const t = new Date();", ids: ["mesh/pure"] },
  { name: "a duration clock", source: "const t = performance.now();", ids: ["mesh/pure"] },
  { name: "randomness", source: "const r = Math.random();", ids: ["mesh/pure"] },
  { name: "randomness by index", source: 'const r = Math["random"]();', ids: ["mesh/pure"] },
  { name: "random bytes", source: "crypto.randomUUID();", ids: ["mesh/pure"] },
  { name: "the network", source: 'await fetch("http://x");', ids: ["mesh/pure"] },
  { name: "the runtime", source: 'Deno.readTextFile("x");', ids: ["mesh/pure"] },
  { name: "a type of the runtime", source: "const x: Deno.Addr = y;", ids: ["mesh/pure"] },
  { name: "a timer", source: "setTimeout(() => {}, 1);", ids: ["mesh/pure"] },
  { name: "a way round", source: "globalThis.fetch;", ids: ["mesh/pure"] },
  { name: "shorthand", source: "const x = { fetch };", ids: ["mesh/pure"] },
  { name: "a computed key", source: "const x = { [Date.name]: 1 };", ids: ["mesh/pure"] },
  { name: "a builtin module", source: 'import fs from "node:fs";', ids: ["mesh/pure"] },
  {
    name: "members of those names",
    source:
      "x.fetch(); const y = { Date: 1, self() {} }; interface I { process: string }; Math.max(1);",
    ids: [],
  },
  {
    name: "a test of a pure room",
    file: "lib/mesh/graph/x_test.ts",
    source: "Date.now();",
    ids: [],
  },
  { name: "another room", file: "lib/mesh/xds/x.ts", source: "Date.now();", ids: [] },
  { name: "a static import", source: 'import { x } from "../xds/mod.ts";', ids: ["mesh/rooms"] },
  {
    name: "an import of types",
    source: 'import type { X } from "../xds/mod.ts";',
    ids: ["mesh/rooms"],
  },
  { name: "an export from", source: 'export { x } from "../xds/mod.ts";', ids: ["mesh/rooms"] },
  { name: "an export of all", source: 'export * from "../xds/mod.ts";', ids: ["mesh/rooms"] },
  { name: "a dynamic import", source: 'await import("../xds/mod.ts");', ids: ["mesh/rooms"] },
  {
    name: "an import as type",
    source: 'const x: import("../xds/mod.ts").X = y;',
    ids: ["mesh/rooms"],
  },
  { name: "a package", source: 'import yaml from "js-yaml";', ids: ["mesh/packages"] },
  {
    name: "allowed code",
    source: 'import { hash } from "../base/mod.ts"; export const y = 1;',
    ids: [],
  },
];

for (const { name, file = "lib/mesh/graph/x.ts", source, ids } of CASES) {
  Deno.test(`lint: ${name} in ${file}: ${ids.join(", ") || "in order"}`, () => {
    assert.deepEqual(lint(file, source), ids);
  });
}
