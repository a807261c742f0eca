import assert from "node:assert/strict";
import { eachDocument } from "../../schema/mod.ts";
import { createFileIndex, type FileIndex } from "./file_index.ts";
import { documents, entry } from "../../../../tests/support/file_source_fixture.ts";

function put(index: FileIndex, file: string, ...texts: string[]): number {
  return index.put(file, [...eachDocument(documents(...texts), file)]);
}

function settle(index: FileIndex): string {
  const { upserts, deletes } = index.takeChanges();
  return [
    ...upserts.map(({ meta }) => `+${meta.name}@${meta.generation}`),
    ...deletes.map(({ name }) => `-${name}`),
  ].join(" ");
}

Deno.test("index: an object that moves between files between two settlements is no change", () => {
  const index = createFileIndex();
  put(index, "a.yaml", entry("x"));
  assert.equal(settle(index), "+x@1");
  index.drop("a.yaml");
  put(index, "b.yaml", entry("x"));
  assert.equal(settle(index), "");
  assert.equal(index.objects()[0]?.meta.origin.file, "b.yaml");
});

Deno.test("index: generations of a deleted object begin anew", () => {
  const index = createFileIndex();
  put(index, "a.yaml", entry("x"));
  settle(index);
  put(index, "a.yaml", entry("x", 81));
  assert.equal(settle(index), "+x@2");
  index.drop("a.yaml");
  assert.equal(settle(index), "-x");
  put(index, "a.yaml", entry("x"));
  assert.equal(settle(index), "+x@1");
});

Deno.test("index: a rejected document without a name retains all missing objects", () => {
  const kept: [string, string, string[]][] = [
    ["broken YAML", "x: [\n", ["a", "b"]],
    ["no kind", "apiVersion: networking.mesh.io/v1\nmetadata: {}\n", ["a", "b"]],
    ["no name", entry("b").replace("name: b", ""), ["a", "b"]],
    ["cut off", "apiVer\n", ["a", "b"]],
    ["broken b", entry("b", 0), ["a", "b"]],
    ["another broken one", entry("other", 0), ["a"]],
    ["values", "image: x\n", ["a"]],
  ];
  for (const [name, text, serving] of kept) {
    const index = createFileIndex();
    put(index, "f.yaml", entry("a"), entry("b"));
    index.takeChanges();
    assert.equal(put(index, "f.yaml", entry("a"), text), 1, name);
    index.takeChanges();
    assert.deepEqual(index.objects().map(({ meta }) => meta.name), serving, name);
    assert.equal(index.problems()[0]?.lastGoodServes, serving.length === 2, name);
    assert.equal(index.rejected(), 1);
  }
});

Deno.test("index: an ignored document is not rejected and retains nothing", () => {
  const index = createFileIndex();
  put(index, "f.yaml", entry("a"), entry("b"));
  index.takeChanges();
  const service = "apiVersion: v1\nkind: Service\nmetadata: {name: b}\nspec: {}\n";
  assert.equal(put(index, "f.yaml", entry("a"), service), 0);
  index.takeChanges();
  assert.deepEqual(index.objects().map(({ meta }) => meta.name), ["a"]);
  assert.deepEqual([index.problems(), index.rejected(), index.warnings().length], [[], 0, 1]);
});

Deno.test("index: a rejected document retains its last good version through further errors", () => {
  const index = createFileIndex();
  put(index, "f.yaml", entry("a"));
  for (const text of [entry("a", 0), "x: [\n", entry("a", 70000), "{"]) put(index, "f.yaml", text);
  assert.equal(settle(index), "+a@1");
  put(index, "f.yaml", entry("a"));
  assert.equal(settle(index), "");
  assert.deepEqual(index.problems(), []);
});

Deno.test("index: a refused file is reported once", () => {
  const index = createFileIndex();
  const problem = {
    file: "f.yaml",
    line: 1,
    column: 1,
    path: "",
    code: "x",
    message: "m",
    remedy: "r",
  };
  assert.equal(index.refuse("f.yaml", problem), 1);
  assert.equal(index.refuse("f.yaml", problem), 0);
  assert.equal(index.refuse("f.yaml", { ...problem, message: "other" }), 1);
});
