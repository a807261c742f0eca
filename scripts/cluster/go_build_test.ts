// @isolate: it takes long.
import assert from "node:assert/strict";
import { MeshError } from "../../lib/kit/base/mod.ts";
import { join } from "../paths.ts";
import { findGo } from "./go.ts";
import { buildModule, type ModuleBuild } from "./go_build.ts";

const GO = findGo();

/** A test with a module of a program and a package that it imports. */
function moduleTest(name: string, main: string, fn: (build: ModuleBuild) => Promise<void>): void {
  Deno.test({
    name: GO === undefined ? `${name} [needs Go]` : name,
    ignore: GO === undefined,
    fn: async () => {
      const source = await Deno.makeTempDir({ prefix: "mesh-go-" });
      try {
        await Deno.mkdir(join(source, "part"));
        await Deno.writeTextFile(join(source, "go.mod"), "module example.test/m\n\ngo 1.21\n");
        // Go keeps what it compiled; a name that is new each time is compiled again.
        const part = `package part\n\nconst One = 1 // ${crypto.randomUUID()}\n`;
        await Deno.writeTextFile(join(source, "part/part.go"), part);
        await Deno.writeTextFile(join(source, "main.go"), main);
        const flags = { flags: [], linkFlags: [] };
        await fn({ go: GO!, source, out: "program", packages: ["."], ...flags });
      } finally {
        await Deno.remove(source, { recursive: true });
      }
    },
  });
}

const MAIN = `package main

import "example.test/m/part"

func main() { println(part.One) }
`;

moduleTest("a build says how many packages it compiled, of how many", MAIN, async (build) => {
  const lines: string[] = [];
  await buildModule(build, { progress: (line) => lines.push(line), everyMs: 1 });
  const { stderr } = await new Deno.Command(join(build.source, "program")).output();
  assert.equal(new TextDecoder().decode(stderr), "1\n");
  assert.match(lines[0]!, /^looking for the packages to compile, \d+ s$/);
  assert.match(lines.at(-1)!, /^compiled [1-9]\d* packages of at most [1-9]\d*, \d+ s$/);
});

const WRONG = MAIN.replace("part.One", "part.Two");

moduleTest("a build that fails says why, without the names of packages", WRONG, async (build) => {
  await assert.rejects(buildModule(build, { progress: () => {} }), (error: unknown) => {
    assert.ok(error instanceof MeshError);
    assert.match(error.message, /^go build failed:\n# example\.test\/m\n.*undefined: part\.Two$/);
    return true;
  });
});
