import assert from "node:assert/strict";
import { type Priority, priorityQueue } from "./priority_queue.ts";

function drained(waiting: ReturnType<typeof priorityQueue<string>>, withBulk = true): string[] {
  const order: string[] = [];
  for (let next = waiting.next(withBulk); next; next = waiting.next(withBulk)) {
    order.push(next.member);
  }
  return order;
}

const ORDERS: readonly {
  readonly says: string;
  readonly add: readonly (readonly [string, Priority, boolean?])[];
  readonly order: readonly string[];
}[] = [
  {
    says: "higher priorities go first",
    add: [["b", "bulk"], ["u", "normal"], ["e", "urgent"]],
    order: ["e", "u", "b"],
  },
  {
    says: "bulk that was begun goes before bulk that was not",
    add: [["b", "bulk"], ["c", "bulk"], ["d", "bulk", true]],
    order: ["d", "b", "c"],
  },
  {
    says: "a member waits with the lowest priority that it was added with",
    add: [["a", "urgent"], ["b", "normal"], ["a", "bulk"], ["b", "urgent"], ["c", "normal"]],
    order: ["b", "c", "a"],
  },
  {
    says: "a member that is added again stays where it waits",
    add: [["a", "urgent"], ["b", "urgent"], ["a", "urgent"]],
    order: ["a", "b"],
  },
];

for (const { says, add, order } of ORDERS) {
  Deno.test(`priority queue: ${says}`, () => {
    const waiting = priorityQueue<string>((name) => name);
    for (const [member, priority, returns] of add) waiting.add(member, priority, returns);
    assert.deepEqual(drained(waiting), order);
    assert.equal(waiting.size, 0);
  });
}

Deno.test("priority queue: bulk that was not begun has every fifth turn", () => {
  const waiting = priorityQueue<string>((name) => name);
  waiting.add("new", "bulk");
  for (let i = 0; i < 8; i++) waiting.add(`begun${i}`, "bulk", true);
  assert.equal(drained(waiting).indexOf("new"), 4);
});

Deno.test("priority queue: connections take turns", () => {
  const waiting = priorityQueue<string>(([connection]) => connection!);
  for (const member of ["a1", "a2", "a3", "b1", "b2", "c1"]) waiting.add(member, "bulk");
  assert.deepEqual(drained(waiting), ["a1", "b1", "c1", "a2", "b2", "a3"]);
});

Deno.test("priority queue: bulk waits where it is not allowed, and has a turn in seventeen where it is", () => {
  const waiting = priorityQueue<string>((name) => name);
  waiting.add("bulk", "bulk");
  assert.equal(waiting.has(false), false);
  assert.equal(waiting.has(true), true);
  for (let i = 0; i < 40; i++) waiting.add(`u${i}`, "normal");
  const order = drained(waiting);
  assert.equal(order.indexOf("bulk"), 16);
  waiting.add("gone", "bulk");
  waiting.delete("gone");
  assert.deepEqual(drained(waiting), []);
});
