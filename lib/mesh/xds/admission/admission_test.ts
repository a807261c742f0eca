import assert from "node:assert/strict";
import { admission, type AdmissionResult } from "./admission.ts";

const never = new Promise<void>(() => {});

function from(peer: string, bytes = 1, ended: Promise<unknown> = never) {
  return { peer, bytes, ended };
}

Deno.test("as many streams as the rate allows are admitted at once, the next ones wait, and the line is bounded", async () => {
  let now = 5000;
  const gate = admission({ rate: 1000, maxWaitMs: 2, maxBytes: 1000, now: () => now });
  const turns = Array.from({ length: 1010 }, () => gate.turn(from("a:1")));
  assert.equal(gate.waiting, 2);
  now += 2;
  const results = await Promise.all(turns);
  assert.ok(results.slice(0, 1002).every((result) => result === "admitted"), "in their order");
  assert.deepEqual(new Set(results.slice(1002)), new Set(["full"]));
  now += 500;
  assert.equal(await gate.turn(from("a:1")), "admitted");
});

Deno.test("streams that end while they wait use up nothing", async () => {
  const now = 0;
  const gate = admission({ rate: 1, maxWaitMs: 5000_000, maxBytes: 1e6, now: () => now });
  assert.equal(await gate.turn(from("a:1")), "admitted");
  const ended = Promise.withResolvers<void>();
  const turns = Array.from({ length: 1900 }, () => gate.turn(from("a:1", 1, ended.promise)));
  assert.equal(gate.waiting, 1900);
  ended.resolve();
  assert.deepEqual(new Set(await Promise.all(turns)), new Set(["gone"]));
  assert.equal(gate.waiting, 0);
  gate.giveBack();
  assert.equal(await gate.turn(from("b:1")), "admitted");
});

/** The order in which waiting streams of peers are admitted. */
async function orderOf(peers: readonly string[]): Promise<string[]> {
  let now = 0;
  const gate = admission({ rate: 1000, maxWaitMs: 1e9, maxBytes: 1e6, now: () => now });
  for (let i = 0; i < 1000; i++) await gate.turn(from("first:1"));
  const order: string[] = [];
  const turns = peers.map(async (peer) => {
    await gate.turn(from(peer));
    order.push(peer);
  });
  while (order.length < peers.length) {
    now += 1;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(turns);
  return order;
}

Deno.test("source addresses take turns, and the connections of an address", async () => {
  assert.deepEqual(await orderOf(["a:1", "a:1", "a:2", "b:1"]), ["a:1", "b:1", "a:2", "a:1"]);
});

Deno.test("a full queue refuses the address with the most entries", async () => {
  const now = 0;
  // Room for ten.
  const gate = admission({ rate: 1, maxWaitMs: 10_000, maxBytes: 1000, now: () => now });
  await gate.turn(from("a:1"));
  const over = Promise.withResolvers<void>();
  const results = new Map<string, AdmissionResult[]>();
  const add = (peer: string, bytes = 1) =>
    void gate.turn(from(peer, bytes, over.promise)).then((result) => {
      results.set(peer, [...results.get(peer) ?? [], result]);
    });
  const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
  for (let i = 0; i < 9; i++) add("flood:1");
  add("flood:2");
  assert.equal(gate.waiting, 10);
  add("flood:1");
  await settled();
  assert.deepEqual(results.get("flood:1"), ["full"], "the flood itself");
  add("other:1");
  add("flood:3");
  await settled();
  assert.deepEqual(results.get("flood:1"), ["full", "full", "full"], "one of the flood instead");
  assert.deepEqual([...results.keys()], ["flood:1"]);
  add("large:1", 900);
  await settled();
  assert.deepEqual(results.get("large:1"), ["full"]);
  assert.equal(gate.waiting, 10);
  over.resolve();
  await settled();
  assert.equal(gate.waiting, 0);
});
