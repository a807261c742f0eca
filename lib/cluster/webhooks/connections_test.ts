import assert from "node:assert/strict";
import { type BoundConnection, boundConnections, CONNECTION_BOUNDS } from "./connections.ts";

/** Connections under a clock that the test moves. */
function scene(change: Partial<typeof CONNECTION_BOUNDS> = {}) {
  let time = 0;
  const cut: string[] = [];
  const bounds = { ...CONNECTION_BOUNDS, total: 6, ofAddress: 4, ...change };
  const connections = boundConnections(bounds, () => time);
  const enter = (name: string): BoundConnection | undefined =>
    connections.enter(name.split("-")[0]!, () => cut.push(name));
  return { connections, cut, enter, pass: (ms: number) => void (time += ms) };
}

Deno.test("a silent connection of the same address gives way, the one that waits longest first", () => {
  const { enter, cut, pass, connections } = scene();
  for (const name of ["a-1", "a-2", "a-3", "a-4"]) {
    assert.ok(enter(name));
    pass(100);
  }
  assert.ok(enter("a-5"), "a-1 is old enough");
  assert.deepEqual(cut, ["a-1"]);
  assert.ok(enter("b-1"), "another address has its own");
  pass(1000);
  assert.ok(enter("b-2"));
  assert.ok(enter("b-3"), "the total is full: of the address with the most");
  assert.deepEqual(cut, ["a-1", "a-2"]);
  assert.equal(connections.size, 6);
});

Deno.test("among young connections the oldest silent one gives way, and no request under way", () => {
  const { enter, cut, pass } = scene();
  for (const name of ["a-1", "a-2", "a-3", "a-4"]) {
    assert.ok(enter(name));
    pass(1);
  }
  const newest = enter("a-5");
  assert.ok(newest);
  newest.enter("receiving");
  for (const name of ["a-6", "a-7", "a-8"]) enter(name)!.enter("receiving");
  assert.deepEqual(cut, ["a-1", "a-2", "a-3", "a-4"]);
  assert.equal(enter("a-9"), undefined, "each has a request under way");
  pass(300);
  assert.ok(enter("a-10"));
});

Deno.test("silent ones give way first, then bodies, then kept ones, and answers never", () => {
  const { enter, cut, pass } = scene();
  enter("a-idle")!.enter("idle");
  enter("a-body")!.enter("receiving");
  enter("a-answer")!.enter("answering");
  pass(1);
  enter("a-silent");
  pass(300);
  for (let i = 0; i < 3; i++) {
    const next = enter(`a-${i}`);
    assert.ok(next);
    next.enter("answering");
  }
  assert.deepEqual(cut, ["a-silent", "a-body", "a-idle"]);
  pass(300);
  assert.equal(enter("a-9"), undefined);
});

Deno.test("a connection has a time for its request, its body, its answer, and the next request", () => {
  const { enter, cut, pass, connections } = scene();
  enter("a-idle")!.enter("idle");
  enter("a-body")!.enter("receiving");
  enter("a-answer")!.enter("answering");
  enter("a-silent");
  const after = (ms: number) => {
    pass(ms);
    connections.sweep();
    return cut.splice(0).sort().join();
  };
  assert.equal(after(9_000), "");
  assert.equal(after(2_000), "a-body,a-silent");
  assert.equal(after(20_000), "a-answer");
  assert.equal(after(45_000), "a-idle");
  assert.equal(connections.size, 0);
});

Deno.test("an address may open connections at a limited rate", () => {
  const { enter, pass } = scene({ burst: 3, perSecond: 10, ofAddress: 100, total: 100 });
  for (let i = 0; i < 3; i++) assert.ok(enter("a-x"));
  assert.equal(enter("a-x"), undefined);
  assert.ok(enter("b-x"));
  pass(100);
  assert.ok(enter("a-x"));
  assert.equal(enter("a-x"), undefined);
});

Deno.test("the place of a connection that left is free, and it is cut by its last socket", () => {
  const { enter, cut, connections } = scene();
  const first = enter("a-1")!;
  first.left();
  first.left();
  assert.equal(connections.size, 0);
  const second = enter("a-2")!;
  second.cutBy(() => cut.push("secured"));
  connections.cutAll();
  assert.deepEqual(cut, ["secured"]);
});
