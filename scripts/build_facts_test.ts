import assert from "node:assert/strict";
import type { BuildInfo } from "../lib/kit/base/mod.ts";
import { buildFacts, withFacts } from "./build_facts.ts";
import { join } from "./paths.ts";

const NO_ENV = (): undefined => undefined;

async function git(dir: string, ...args: string[]): Promise<string> {
  const who = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"];
  const { success, stdout, stderr } = await new Deno.Command("git", {
    args: ["-C", dir, ...who, ...args],
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

Deno.test("build facts follow the repository: revision, state, tag", async () => {
  const dir = await Deno.makeTempDir({ prefix: "mesh-facts-" });
  try {
    const outside = await buildFacts(dir, NO_ENV);
    assert.deepEqual([outside.revision, outside.status], ["unknown", "Unknown"]);
    await git(dir, "init", "-q");
    await Deno.writeTextFile(join(dir, "a"), "1");
    await git(dir, "add", "a");
    await git(dir, "commit", "-q", "-m", "one");
    const head = await git(dir, "rev-parse", "HEAD");
    const clean = await buildFacts(dir, NO_ENV);
    assert.deepEqual(clean, {
      version: outside.version,
      revision: head,
      status: "Clean",
      tag: outside.version,
    });
    await git(dir, "tag", "1.2.3");
    await Deno.writeTextFile(join(dir, "a"), "2");
    const changed = await buildFacts(dir, NO_ENV);
    assert.deepEqual([changed.status, changed.tag], ["Modified", "1.2.3"]);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("build facts given by hand come first, and the tree's state does not count for them", async () => {
  const root = new URL("..", import.meta.url).pathname;
  const given: Record<string, string> = { MESH_BUILD_REVISION: "abc", MESH_BUILD_TAG: "9.9" };
  const facts = await buildFacts(root, (name) => given[name]);
  assert.deepEqual([facts.revision, facts.status, facts.tag], ["abc", "Unknown", "9.9"]);
  const clean = await buildFacts(root, (name) => ({ ...given, MESH_BUILD_STATUS: "Clean" })[name]);
  assert.equal(clean.status, "Clean");
});

Deno.test("the project's own module takes other facts, and keeps all else", async () => {
  const path = new URL("../lib/kit/base/build.ts", import.meta.url);
  const source = await Deno.readTextFile(path);
  const facts: BuildInfo = { version: "7.8.9", revision: "$& r", status: "Clean", tag: "t" };
  const text = withFacts(source, facts);
  assert.ok(text.includes('"revision": "$& r"'));
  assert.ok(!text.includes('"Unknown",\n  tag'));
  assert.ok(text.includes("export function buildLine"));
  assert.throws(() => withFacts("export const other = 1;", facts), /no build facts/);
});
