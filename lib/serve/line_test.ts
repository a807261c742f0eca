import assert from "node:assert/strict";
import { type Haste, line } from "./line.ts";

function drained(waiting: ReturnType<typeof line<string>>, withBulk = true): string[] {
  const order: string[] = [];
  for (let next = waiting.next(withBulk); next; next = waiting.next(withBulk)) {
    order.push(next.member);
  }
  return order;
}

const ORDERS: readonly {
  readonly says: string;
  readonly add: readonly (readonly [string, Haste, boolean?])[];
  readonly order: readonly string[];
}[] = [
  {
    says: "more haste goes first",
    add: [["b", "bulk"], ["u", "usual"], ["e", "urgent"]],
    order: ["e", "u", "b"],
  },
  {
    says: "bulk that was begun goes before bulk that was not",
    add: [["b", "bulk"], ["c", "bulk"], ["d", "bulk", true]],
    order: ["d", "b", "c"],
  },
  {
    says: "who is due more waits like those who are",
    add: [["a", "urgent"], ["b", "usual"], ["a", "bulk"], ["b", "urgent"], ["c", "usual"]],
    order: ["b", "c", "a"],
  },
  {
    says: "who is added again keeps its place",
    add: [["a", "urgent"], ["b", "urgent"], ["a", "urgent"]],
    order: ["a", "b"],
  },
];

for (const { says, add, order } of ORDERS) {
  Deno.test(`line: ${says}`, () => {
    const waiting = line<string>();
    for (const [member, haste, returns] of add) waiting.add(member, haste, returns);
    assert.deepEqual(drained(waiting), order);
    assert.equal(waiting.size, 0);
  });
}

Deno.test("line: bulk waits where it is not allowed, and has a turn in seventeen where it is", () => {
  const waiting = line<string>();
  waiting.add("bulk", "bulk");
  assert.equal(waiting.has(false), false);
  assert.equal(waiting.has(true), true);
  for (let i = 0; i < 40; i++) waiting.add(`u${i}`, "usual");
  const order = drained(waiting);
  assert.equal(order.indexOf("bulk"), 16);
  waiting.add("gone", "bulk");
  waiting.delete("gone");
  assert.deepEqual(drained(waiting), []);
});
