/** Taps: values that are read from time to time, and the call that says that it is time. */
import assert from "node:assert/strict";
import { createGraph, text } from "../mod.ts";

function world() {
  const graph = createGraph();
  const rows = graph.input<number>("row");
  const size = graph.derive("size", text, (read, key) => (read.get(rows, key) ?? 0) > 5);
  const set = (key: string, value: number) => graph.transaction((tx) => tx.set(rows, key, value));
  return { graph, size, set };
}

Deno.test("a tap is told once after each read when its value may have changed", () => {
  const { graph, size, set } = world();
  let told = 0;
  const tap = graph.tap(size, "a", () => told++);
  assert.equal(tap.read(), false);
  set("b", 9);
  assert.equal(told, 0, "another row");
  set("a", 7);
  set("a", 8);
  assert.equal(told, 1);
  assert.equal(tap.read(), true);
  set("a", 9);
  assert.equal(told, 2, "the value may have changed");
  assert.equal(tap.read(), true);
  tap.close();
  set("a", 1);
  assert.equal(told, 2);
});

Deno.test("a publication does not compute the value of a tap", () => {
  const { graph, size, set } = world();
  const tap = graph.tap(size, "a", () => {});
  tap.read();
  graph.resetStats();
  set("a", 7);
  graph.warm(1000);
  graph.publish();
  assert.equal(graph.stats().computedByTable["size"] ?? 0, 0);
  assert.equal(tap.read(), true);
  assert.equal(graph.stats().computedByTable["size"], 1);
  tap.close();
});

Deno.test("a tap that was not read before it is told of changes from its first read on", () => {
  const { graph, size, set } = world();
  let told = 0;
  const tap = graph.tap(size, "a", () => told++);
  set("a", 7);
  assert.equal(tap.read(), true);
  const before = told;
  set("a", 1);
  assert.equal(told, before + 1);
  tap.close();
});
