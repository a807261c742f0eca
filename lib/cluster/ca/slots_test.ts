import assert from "node:assert/strict";
import { MeshError } from "../../kit/base/mod.ts";
import { type Claimant, createSlots } from "./slots.ts";

/** Slots whose work ends when the test says so; `order` has the claimants that began. */
function bench(parallel: number, most: number) {
  const slots = createSlots(parallel, most);
  const order: string[] = [];
  const refused: string[] = [];
  const releases: (() => void)[] = [];
  return {
    order,
    refused,
    ask(label: string, claimant: Claimant) {
      slots.take(claimant).then((release) => {
        order.push(label);
        releases.push(release);
      }, (error) => {
        assert.ok(error instanceof MeshError);
        refused.push(`${label} ${error.code}`);
      });
    },
    /** Ends all work, one after the other, until nobody waits. */
    async drain() {
      const turn = () => new Promise((resolve) => setTimeout(resolve, 1));
      await turn();
      while (releases.length > 0) {
        releases.shift()!();
        await turn();
      }
    },
  };
}

Deno.test("slots: an identity waits for one turn of each other, however many they have sent", async () => {
  const { ask, order, drain, refused } = bench(1, 10_000);
  for (let i = 0; i < 500; i++) {
    for (let flood = 0; flood < 6; flood++) ask(`f${flood}`, { identity: `f${flood}` });
  }
  ask("honest", { identity: "honest" });
  ask("honest", { identity: "honest" });
  await drain();
  assert.equal(order.length, 3002);
  assert.deepEqual(refused, []);
  assert.ok(order.indexOf("honest") <= 7, `${order.indexOf("honest")} before it`);
  assert.ok(order.lastIndexOf("honest") <= 14, `${order.lastIndexOf("honest")} before its second`);
});

Deno.test("slots: addresses of one identity take turns", async () => {
  const { ask, order, drain } = bench(1, 100);
  for (let i = 0; i < 50; i++) ask("flood", { identity: "a", peer: `10.0.0.1:${i + 1000}` });
  ask("honest", { identity: "a", peer: "10.0.0.2:1000" });
  await drain();
  assert.ok(order.indexOf("honest") <= 2, `${order.indexOf("honest")} before it`);
});

Deno.test("slots: a full line refuses requests of the identities with the most", async () => {
  const { ask, order, drain, refused } = bench(1, 60);
  for (let i = 0; i < 100; i++) ask("a", { identity: "a" });
  for (let i = 0; i < 10; i++) ask("b", { identity: "b" });
  ask("c", { identity: "c" });
  await drain();
  assert.deepEqual(new Set(refused), new Set(["a ca-busy"]));
  assert.equal(refused.length, 50);
  assert.deepEqual([order.filter((one) => one === "b").length, order.includes("c")], [10, true]);
});

Deno.test("slots: a client that is gone before its turn takes none", async () => {
  const { ask, order, drain, refused } = bench(1, 10);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  ask("first", { identity: "a" });
  ask("gone", { identity: "b", ended });
  ask("next", { identity: "c" });
  end();
  await ended;
  await drain();
  assert.deepEqual([order, refused], [["first", "next"], ["gone ca-gone"]]);
});
