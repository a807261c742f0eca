import assert from "node:assert/strict";
import { createGraph, type Edit, type Resource, text } from "../../mesh/graph/mod.ts";
import type { PublishedEvent, SentEvent } from "../../mesh/xds/mod.ts";
import { createSpending } from "./spending.ts";

/** Accounts with recorded edits, one publication per revision. */
function bench(limit?: number) {
  let edits: readonly Edit[] | undefined = [];
  const spending = createSpending({ edits: () => edits, causes: () => [] }, limit);
  return {
    spending,
    publish(revision: number, ...keys: readonly string[]) {
      edits = keys.map((key) => ({ revision, table: "Gateway", key, kind: "set" }));
      const event: Partial<PublishedEvent> = { revision, from: revision - 1, concerns: [] };
      spending.observer.published!(event as PublishedEvent);
    },
    send(from: number, revision: number, bytes: number, classKey = "c") {
      const event = { stream: { binding: { classKey } }, from, revision, bytes };
      Object.assign(event, { resources: [], removed: [], typeUrl: "" });
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

Deno.test("a response to too many edits, or to forgotten ones, is charged to no edit", () => {
  const { spending, publish, send } = bench();
  publish(1, ...Array.from({ length: 501 }, (_, i) => `n/${i}`));
  send(0.5, 1, 7);
  for (let revision = 2; revision < 300; revision++) publish(revision, "n/a");
  send(2, 4, 5);
  assert.deepEqual(spending.shared, { pushes: 2, bytes: 12 });
  assert.equal(spending.objects.size, 0);
});

Deno.test("accounts are bounded; the most expensive stay", () => {
  const { spending, publish, send } = bench(8);
  for (let revision = 1; revision <= 40; revision++) {
    publish(revision, revision % 2 ? "n/dear" : `n/${revision}`);
    send(revision - 1 || 0.5, revision, revision % 2 ? 100 : 1);
    assert.ok(spending.objects.size <= 8);
  }
  assert.equal(spending.objects.get("Gateway/n/dear")?.bytes, 2_000);
});

/**
 * A graph whose rows are bytes of one resource each, with accounts and the last state of its view.
 */
function graphBench() {
  const graph = createGraph();
  const rows = graph.input<number>("Row");
  const all = graph.index(rows, "all", { bucket: text, member: text }, (_, key) => [["", key]]);
  const made = graph.derive<readonly Resource[], string>("made", text, (read, name) => {
    const size = read.get(rows, name) ?? 0;
    return [{ name, version: `${size}`, bytes: new Uint8Array(size) }];
  });
  const layer = graph.collection("layer", () => ({
    members: { index: all, buckets: [""] },
    resources: made,
  }));
  const view = graph.view([layer]);
  layer.retain();
  const spending = createSpending(graph);
  const stream = { binding: { classKey: "c" } };
  const publish = (edits: Readonly<Record<string, number | undefined>>): void => {
    const from = graph.published;
    const revision = graph.transaction((tx) => {
      for (const [key, size] of Object.entries(edits)) {
        if (size === undefined) tx.delete(rows, key);
        else tx.set(rows, key, size);
      }
    });
    graph.publish();
    const concerns = [{ view, before: view, subscribers: [{ typeUrl: "t" }] }];
    spending.observer.published!({ revision, from, concerns } as unknown as PublishedEvent);
  };
  const send = (from: number, bytes: number): void => {
    const { changed, removed } = view.since(from)!;
    const event = { stream, typeUrl: "t", from, revision: graph.published, bytes };
    spending.observer.sent!({ ...event, resources: changed, removed } as unknown as SentEvent);
  };
  return { graph, spending, publish, send };
}

Deno.test("edits that are published together are each charged the bytes of what they changed", () => {
  const { graph, spending, publish, send } = graphBench();
  publish({ a: 1, b: 1, c: 1 });
  const from = graph.published;
  // With its name of one character: 90 and 10 bytes; the third is removed and counts only its name.
  publish({ a: 89, b: 9, c: undefined });
  send(from, 1_010);
  const spent = Object.fromEntries(
    [...spending.objects].map(([row, { bytes }]) => [row, Math.round(bytes)]),
  );
  assert.deepEqual(spent, { "Row/a": 900, "Row/b": 100, "Row/c": 10 });
  const parts = [...spending.objects.values()].reduce((sum, { pushes }) => sum + pushes, 0);
  assert.ok(Math.abs(parts - 1) < 1e-9, "one response in all");
});

Deno.test("an edit that changed nothing of a response is charged nothing", () => {
  const { graph, spending, publish, send } = graphBench();
  publish({ a: 1, b: 1 });
  const from = graph.published;
  publish({ a: 2, b: 3 });
  const middle = graph.published;
  publish({ c: 5 });
  send(middle, 100);
  assert.deepEqual([...spending.objects], [["Row/c", { pushes: 1, bytes: 100 }]]);
  send(from, 300);
  // Names and bytes of a, b and c: 3, 4 and 6 parts of 13.
  const share = (row: string) => spending.objects.get(row)!.bytes;
  assert.equal(Math.round(share("Row/a") / 300 * 13), 3);
  assert.equal(Math.round(share("Row/b") / 300 * 13), 4);
  assert.equal(Math.round((share("Row/c") - 100) / 300 * 13), 6);
});
