import assert from "node:assert/strict";
import { createTurns } from "./turns.ts";

Deno.test("addresses take turns", async () => {
  const turns = createTurns(() => 0);
  const order: string[] = [];
  const run = (name: string) =>
    turns.run(name[0]!, () => {
      order.push(name);
      return Promise.resolve(name);
    });
  const all = ["a1", "a2", "a3", "a4", "b1", "c1", "b2"].map(run);
  assert.equal(turns.waiting, 7);
  assert.equal((await Promise.all(all)).join(), "a1,a2,a3,a4,b1,c1,b2");
  assert.equal(order.join(), "a1,b1,c1,a2,b2,a3,a4");
});

Deno.test("a request that fails or waits keeps nobody from a turn, and few wait at a time", async () => {
  const turns = createTurns(() => 0);
  const end = Promise.withResolvers<void>();
  let begun = 0;
  const waiting = Array.from({ length: 20 }, () =>
    turns.run("a", () => {
      begun++;
      return end.promise;
    }));
  const failed = turns.run("b", () => Promise.reject(new Error("no")));
  await assert.rejects(failed, /no/);
  while (turns.waiting > 4) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(begun, 16);
  end.resolve();
  await Promise.all(waiting);
  assert.equal(begun, 20);
});

Deno.test("other work comes between two requests", async () => {
  const turns = createTurns(() => performance.now());
  const order: string[] = [];
  const run = (name: string) => turns.run("a", () => Promise.resolve(void order.push(name)));
  const both = [run("1"), run("2")];
  await both[0];
  order.push("other");
  await both[1];
  assert.equal(order.join(), "1,other,2");
});
