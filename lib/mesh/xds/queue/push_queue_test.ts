import assert from "node:assert/strict";
import { pushQueue } from "./push_queue.ts";

interface Member {
  readonly name: string;
  /** Results of its steps in order: done, or blocked until released. */
  readonly plan: ("done" | "block")[];
  release: () => void;
  steps: number;
}

function member(name: string, ...plan: Member["plan"]): Member {
  return { name, plan, release: () => {}, steps: 0 };
}

function queueOf(slots: number, times: { slotMs?: number; stallMs?: number } = {}) {
  const given: string[] = [];
  const steps: string[] = [];
  const queue = pushQueue<Member>({
    slots,
    slotMs: times.slotMs ?? 60_000,
    stallMs: times.stallMs ?? 60_000,
    turnMs: 1000,
    now: () => performance.now(),
    connectionOf: (one) => one.name,
    step(one) {
      one.steps++;
      steps.push(one.name);
      if (one.plan.shift() !== "block") return undefined;
      return new Promise((resolve) => one.release = resolve);
    },
    giveUp: (one) => given.push(one.name),
  });
  return { queue, steps, given };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 0));
}

Deno.test("members take their turns in order, each once however often it was added", async () => {
  const { queue, steps } = queueOf(5);
  const [a, b] = [member("a"), member("b")];
  for (const one of [a, b, a, a, b]) queue.add(one);
  assert.equal(queue.waiting, 2);
  await until(() => queue.waiting === 0);
  assert.deepEqual(steps, ["a", "b"]);
  assert.equal(queue.active, 0);
});

Deno.test("urgent members go first, but not for ever", async () => {
  const { queue, steps } = queueOf(5);
  const slow = ["x", "y"].map((name) => member(name));
  const urgent = Array.from({ length: 40 }, (_, i) => member(`u${i}`));
  for (const one of slow) queue.add(one);
  for (const one of urgent) queue.add(one, "urgent");
  const [both] = slow;
  queue.add(both!, "urgent");
  assert.equal(queue.waiting, 42);
  await until(() => queue.waiting === 0);
  assert.equal(steps[0], "u0");
  assert.deepEqual([steps.indexOf("x"), steps.indexOf("y")], [16, 33]);
  assert.equal(steps.length, 42);
});

Deno.test("no more than the slots wait for their clients; others come when one is done", async () => {
  const { queue, steps } = queueOf(2);
  const all = ["a", "b", "c"].map((name) => member(name, "block", "done"));
  for (const one of all) queue.add(one);
  await until(() => queue.active === 2);
  assert.deepEqual(steps, ["a", "b"]);
  assert.equal(queue.waiting, 1);
  all[1]!.release();
  await until(() => steps.includes("c"));
  assert.deepEqual(steps, ["a", "b", "b", "c"]);
  all[0]!.release();
  all[2]!.release();
  await until(() => queue.active === 0);
});

Deno.test("one that is added while it is being sent to comes again, once", async () => {
  const { queue } = queueOf(1);
  const a = member("a", "block", "done", "done");
  queue.add(a);
  await until(() => a.steps === 1);
  queue.add(a);
  queue.add(a);
  a.release();
  await until(() => queue.active === 0 && queue.waiting === 0);
  assert.equal(a.steps, 3);
});

Deno.test("a client that does not keep up loses its slot, and is given up when it takes nothing", async () => {
  const { queue, given, steps } = queueOf(1, { slotMs: 1, stallMs: 1 });
  const [slow, other] = [member("slow", "block"), member("other")];
  queue.add(slow);
  queue.add(other);
  await until(() => given.length === 1);
  assert.deepEqual(given, ["slow"]);
  assert.deepEqual(steps, ["slow", "other"]);
  assert.equal(queue.active, 0);
  queue.remove(slow);
  slow.release();
});

Deno.test("one that lost its slot and caught up takes its turn like all others", async () => {
  const { queue, steps, given } = queueOf(1, { slotMs: 1 });
  const slow = member("slow", "block", "done");
  queue.add(slow);
  await until(() => steps.length === 1 && queue.active === 0);
  slow.release();
  await until(() => steps.length === 2);
  assert.deepEqual(given, []);
});

Deno.test("a member that is gone gives its slot back and is not stepped again", async () => {
  const { queue, steps } = queueOf(1);
  const [a, b] = [member("a", "block"), member("b")];
  queue.add(a);
  await until(() => queue.active === 1);
  queue.add(b);
  queue.remove(a);
  await until(() => steps.includes("b"));
  a.release();
  queue.add(a);
  queue.remove(a);
  assert.equal(queue.waiting, 0);
  assert.deepEqual(steps, ["a", "b"]);
});

Deno.test("bulk begins while clients have little to take, edits always; four are under way in any case", async () => {
  const pending = new Map<string, number>();
  const steps: string[] = [];
  const releases = new Map<string, () => void>();
  let idle = 0;
  const queue = pushQueue<string>({
    slots: 20,
    allowance: 1000,
    slotMs: 60_000,
    stallMs: 60_000,
    turnMs: 1000,
    now: () => performance.now(),
    connectionOf: (one) => one,
    step(one) {
      if (steps.push(one) && releases.has(one)) return undefined;
      return new Promise((resolve) => releases.set(one, resolve));
    },
    pending: (one) => pending.get(one) ?? 0,
    giveUp: () => {},
    idle: () => idle++,
  });
  for (let i = 0; i < 10; i++) {
    pending.set(`b${i}`, 100);
    queue.add(`b${i}`, "bulk");
  }
  pending.set("b0", 900);
  await until(() => queue.active >= 4);
  const four = ["b0", "b1", "b2", "b3"];
  assert.deepEqual(steps, four, "the allowance is used up, four are under way");
  assert.equal(queue.bytes, 1200);
  // The turn that the edit takes is one in which bulk might have begun.
  queue.add("edit");
  await until(() => steps.includes("edit"));
  assert.deepEqual(steps, [...four, "edit"]);
  assert.equal(queue.bytes, 1200);
  releases.get("b0")!();
  await until(() => queue.active === 10);
  assert.equal(queue.bytes, 900, "room for all the others");
  assert.equal(idle, 0);
  for (const release of releases.values()) release();
  await until(() => idle > 0);
  assert.equal(queue.bytes, 0);
});

Deno.test("a quarter of the slots is not for bulk", async () => {
  const { queue, steps } = queueOf(4);
  const bulk = ["a", "b", "c", "d"].map((name) => member(name, "block", "done"));
  for (const one of bulk) queue.add(one, "bulk");
  await until(() => queue.active === 3);
  queue.add(member("edit", "done"));
  await until(() => steps.includes("edit"));
  assert.deepEqual(steps, ["a", "b", "c", "edit"]);
  for (const one of bulk) one.release();
  await until(() => queue.active === 1);
  bulk[3]!.release();
  await until(() => queue.active === 0);
});

Deno.test("clients that never read do not keep others from a slot, and their bytes not from the allowance", async () => {
  const begun: string[] = [];
  const queue = pushQueue<string>({
    slots: 4,
    allowance: 10_000,
    slotMs: 60_000,
    stallMs: 60_000,
    turnMs: 1000,
    now: () => performance.now(),
    connectionOf: (one) => one,
    step(one) {
      begun.push(one);
      return new Promise(() => {});
    },
    pending: () => 100,
    giveUp: () => {},
  });
  for (let i = 0; i < 300; i++) queue.add(`never reads ${i}`, "bulk");
  queue.add("reads", "bulk");
  const start = performance.now();
  await until(() => begun.includes("reads"));
  const took = performance.now() - start;
  assert.ok(took < 45_000, `${took} ms`);
  assert.equal(begun.length, 301, "all that came before had their turn");
  for (const one of begun) queue.remove(one);
  assert.equal(queue.active, 0);
  assert.equal(queue.bytes, 0);
});
