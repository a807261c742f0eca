import assert from "node:assert/strict";
import { RemovalWait } from "./removal_wait.ts";
import { Warming } from "./warming.ts";

const BOUNDS = { settleMs: 10, drainMs: 100 };

Deno.test("removals wait until the stream was idle, and never longer than the bound", () => {
  const wait = new RemovalWait();
  assert.equal(wait.left(0, true, BOUNDS), undefined, "none waits");
  wait.messagePassed(50);
  assert.equal(wait.isLively(59, BOUNDS), true);
  assert.equal(wait.isLively(60, BOUNDS), false);
  wait.begin(52);
  wait.begin(58);
  assert.equal(wait.left(55, true, BOUNDS), 5, "quiet from 60 on");
  assert.equal(wait.left(55, false, BOUNDS), 97, "not answered: until 152");
  wait.messagePassed(150);
  assert.equal(wait.left(151, true, BOUNDS), 1);
  wait.end();
  assert.equal(wait.left(151, true, BOUNDS), undefined);
});

Deno.test("the function that was set last is called later, and none after the end", async () => {
  const wait = new RemovalWait();
  const called: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  wait.later(0, () => called.push("first"));
  wait.later(1, () => {
    called.push("second");
    resolve();
  });
  await promise;
  assert.deepEqual(called, ["second"]);
  wait.later(60_000, () => called.push("third"));
  wait.stop();
});

Deno.test("clusters are cold until their endpoints arrive, are gone, or the time is over", async () => {
  const warming = new Warming();
  warming.limit(60_000, () => assert.fail("nothing waits"));
  for (const name of ["a", "b", "c"]) warming.waitFor(name);
  warming.arrived("a");
  warming.keep((name) => name === "c");
  assert.equal(warming.isCold, true);
  const { promise, resolve } = Promise.withResolvers<void>();
  warming.limit(1, resolve);
  warming.limit(60_000, () => assert.fail("the first limit counts"));
  await promise;
  assert.equal(warming.isCold, false);
});

Deno.test("clusters that were sent early are returned once", () => {
  const warming = new Warming();
  warming.sentEarly("a");
  assert.deepEqual(warming.takeEarly(), ["a"]);
  assert.deepEqual(warming.takeEarly(), []);
});
