import assert from "node:assert/strict";
import { type ResolvedName, startNameSource } from "./names.ts";

/** Names with answers of the test's, and time that passes when it says so. */
function bench() {
  const answers = new Map<string, ResolvedName>();
  const asked: string[] = [];
  const failed: string[] = [];
  const timers: { ms: number; act: () => void; off: boolean }[] = [];
  let changes = 0;
  const source = startNameSource({
    resolve: (name) => {
      asked.push(name);
      const found = answers.get(name);
      return found === undefined ? Promise.reject(new Error("nobody")) : Promise.resolve(found);
    },
    onChange: () => changes++,
    onFailure: (name) => failed.push(name),
    timer: (ms, act) => {
      const timer = { ms, act, off: false };
      timers.push(timer);
      return () => void (timer.off = true);
    },
  });
  return {
    answers,
    asked,
    failed,
    timers,
    source,
    changes: () => changes,
    /** Lets what is under way end, then the oldest timer that is not called off act. */
    settle: async () => {
      for (let i = 0; i < 5; i++) await Promise.resolve();
    },
    pass: () => timers.splice(0).filter(({ off }) => !off).forEach(({ act }) => act()),
  };
}

Deno.test("names are looked up, and again when their answers have grown old", async () => {
  const { answers, source, timers, changes, settle, pass } = bench();
  using _ = source;
  answers.set("a.example", { addresses: ["10.0.0.2", "10.0.0.1", "10.0.0.1"], ttlMs: 30_000 });
  source.request(["a.example"]);
  assert.deepEqual(source.addressesOf("a.example"), []);
  await settle();
  assert.deepEqual(source.addressesOf("a.example"), ["10.0.0.1", "10.0.0.2"]);
  assert.deepEqual([changes(), timers[0]?.ms], [1, 30_000]);
  pass();
  await settle();
  assert.equal(changes(), 1, "the same again is no change");
  answers.set("a.example", { addresses: ["10.0.0.3"], ttlMs: 0 });
  pass();
  await settle();
  assert.deepEqual(source.addressesOf("a.example"), ["10.0.0.3"]);
  assert.deepEqual([changes(), timers[0]?.ms], [2, 5_000], "not sooner than that");
});

Deno.test("known addresses stay in use while no nameserver answers", async () => {
  const { answers, source, failed, changes, settle, pass } = bench();
  using _ = source;
  answers.set("a.example", { addresses: ["10.0.0.1"] });
  source.request(["a.example", "b.example"]);
  await settle();
  answers.delete("a.example");
  pass();
  await settle();
  assert.deepEqual(source.addressesOf("a.example"), ["10.0.0.1"]);
  assert.deepEqual(source.addressesOf("b.example"), []);
  assert.equal(changes(), 1);
  assert.deepEqual(failed, ["b.example", "a.example", "b.example"]);
});

Deno.test("unused names are not looked up", async () => {
  const { answers, asked, source, settle, pass } = bench();
  using _ = source;
  answers.set("a.example", { addresses: ["10.0.0.1"] });
  source.request(["a.example"]);
  await settle();
  source.request([]);
  pass();
  await settle();
  assert.deepEqual(asked, ["a.example"]);
  assert.deepEqual(source.addressesOf("a.example"), []);
});

Deno.test("the system's own names have addresses", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  using source = startNameSource({ onChange: resolve });
  source.request(["localhost"]);
  await promise;
  assert.ok(source.addressesOf("localhost").some((one) => one === "127.0.0.1" || one === "::1"));
});
