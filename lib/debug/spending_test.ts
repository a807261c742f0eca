import assert from "node:assert/strict";
import type { Edit } from "../graph/mod.ts";
import type { PublishedEvent, SentEvent } from "../serve/mod.ts";
import { createSpending } from "./spending.ts";

/** Accounts over edits that are told, one publication a revision. */
function bench(limit?: number) {
  let edits: readonly Edit[] | undefined = [];
  const spending = createSpending({ edits: () => edits }, limit);
  return {
    spending,
    publish(revision: number, ...keys: readonly string[]) {
      edits = keys.map((key) => ({ revision, table: "Gateway", key, kind: "set" }));
      const event: Partial<PublishedEvent> = { revision, from: revision - 1 };
      spending.observer.published!(event as PublishedEvent);
    },
    send(from: number, revision: number, bytes: number, classKey = "c") {
      const event = { stream: { seat: { classKey } }, from, revision, bytes };
      spending.observer.sent!(event as SentEvent);
    },
  };
}

Deno.test("a response is charged to the edits since the one before, and to the proxy's class", () => {
  const { spending, publish, send } = bench();
  publish(1, "a/x");
  publish(2, "a/y", "b/z");
  send(0, 1, 1_000, "other");
  send(0, 1, 500);
  send(1, 2, 10);
  send(0 + 1, 2, 20);
  assert.deepEqual(Object.fromEntries(spending.objects), {
    "Gateway/a/y": { pushes: 1, bytes: 15 },
    "Gateway/b/z": { pushes: 1, bytes: 15 },
  });
  assert.deepEqual(Object.fromEntries(spending.classes), {
    other: { pushes: 1, bytes: 1_000 },
    c: { pushes: 3, bytes: 530 },
  });
  assert.deepEqual(spending.connects, { pushes: 2, bytes: 1_500 });
  assert.deepEqual(spending.shared, { pushes: 0, bytes: 0 });
});

Deno.test("a response that brings several publications is charged to the edits of all", () => {
  const { spending, publish, send } = bench();
  for (const [i, key] of ["n/a", "n/b", "n/c"].entries()) publish(i + 1, key);
  send(1, 3, 100);
  assert.deepEqual([...spending.objects], [
    ["Gateway/n/b", { pushes: 0.5, bytes: 50 }],
    ["Gateway/n/c", { pushes: 0.5, bytes: 50 }],
  ]);
});

Deno.test("nobody is charged for what many edits, or forgotten ones, brought about", () => {
  const { spending, publish, send } = bench();
  publish(1, ...Array.from({ length: 501 }, (_, i) => `n/${i}`));
  send(0.5, 1, 7);
  for (let revision = 2; revision < 300; revision++) publish(revision, "n/a");
  send(2, 4, 5);
  assert.deepEqual(spending.shared, { pushes: 2, bytes: 12 });
  assert.equal(spending.objects.size, 0);
});

Deno.test("accounts are bounded; the dearest stay", () => {
  const { spending, publish, send } = bench(8);
  for (let revision = 1; revision <= 40; revision++) {
    publish(revision, revision % 2 ? "n/dear" : `n/${revision}`);
    send(revision - 1 || 0.5, revision, revision % 2 ? 100 : 1);
    assert.ok(spending.objects.size <= 8);
  }
  assert.equal(spending.objects.get("Gateway/n/dear")?.bytes, 2_000);
});
