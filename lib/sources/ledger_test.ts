import assert from "node:assert/strict";
import { eachDocument } from "../schema/mod.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { documents, entry } from "./sandbox.ts";

function put(ledger: Ledger, file: string, ...texts: string[]): number {
  return ledger.put(file, [...eachDocument(documents(...texts), file)]);
}

function settle(ledger: Ledger): string {
  const { upserts, deletes } = ledger.settle();
  return [
    ...upserts.map(({ meta }) => `+${meta.name}@${meta.generation}`),
    ...deletes.map(({ name }) => `-${name}`),
  ].join(" ");
}

Deno.test("ledger: an object that moves between files in one settlement is no change", () => {
  const ledger = createLedger();
  put(ledger, "a.yaml", entry("x"));
  assert.equal(settle(ledger), "+x@1");
  ledger.drop("a.yaml");
  put(ledger, "b.yaml", entry("x"));
  assert.equal(settle(ledger), "");
  assert.equal(ledger.objects()[0]?.meta.origin.file, "b.yaml");
});

Deno.test("ledger: an object that went begins anew", () => {
  const ledger = createLedger();
  put(ledger, "a.yaml", entry("x"));
  settle(ledger);
  put(ledger, "a.yaml", entry("x", 81));
  assert.equal(settle(ledger), "+x@2");
  ledger.drop("a.yaml");
  assert.equal(settle(ledger), "-x");
  put(ledger, "a.yaml", entry("x"));
  assert.equal(settle(ledger), "+x@1");
});

Deno.test("ledger: a document that cannot be told apart keeps all that is missing, a foreign one nothing", () => {
  const kept: [string, string, string[]][] = [
    ["broken YAML", "x: [\n", ["a", "b"]],
    ["no kind", "apiVersion: networking.mesh.io/v1\nmetadata: {}\n", ["a", "b"]],
    ["no name", entry("b").replace("name: b", ""), ["a", "b"]],
    ["cut off", "apiVer\n", ["a", "b"]],
    ["broken b", entry("b", 0), ["a", "b"]],
    ["another broken one", entry("other", 0), ["a"]],
    ["a foreign kind", "apiVersion: v1\nkind: Service\nmetadata: {name: b}\nspec: {}\n", ["a"]],
    ["values", "image: x\n", ["a"]],
  ];
  for (const [name, text, serving] of kept) {
    const ledger = createLedger();
    put(ledger, "f.yaml", entry("a"), entry("b"));
    ledger.settle();
    assert.equal(put(ledger, "f.yaml", entry("a"), text), 1, name);
    ledger.settle();
    assert.deepEqual(ledger.objects().map(({ meta }) => meta.name), serving, name);
    assert.equal(ledger.problems()[0]?.lastGoodServes, serving.length === 2, name);
    assert.equal(ledger.setAside(), 1);
  }
});

Deno.test("ledger: what a broken document keeps, it keeps through further breaks", () => {
  const ledger = createLedger();
  put(ledger, "f.yaml", entry("a"));
  for (const text of [entry("a", 0), "x: [\n", entry("a", 70000), "{"]) put(ledger, "f.yaml", text);
  assert.equal(settle(ledger), "+a@1");
  put(ledger, "f.yaml", entry("a"));
  assert.equal(settle(ledger), "");
  assert.deepEqual(ledger.problems(), []);
});

Deno.test("ledger: a refused file is news once", () => {
  const ledger = createLedger();
  const problem = {
    file: "f.yaml",
    line: 1,
    column: 1,
    path: "",
    code: "x",
    message: "m",
    remedy: "r",
  };
  assert.equal(ledger.refuse("f.yaml", problem), 1);
  assert.equal(ledger.refuse("f.yaml", problem), 0);
  assert.equal(ledger.refuse("f.yaml", { ...problem, message: "other" }), 1);
});
