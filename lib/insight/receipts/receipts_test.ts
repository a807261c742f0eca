import assert from "node:assert/strict";
import { type Store, store } from "../../../tests/support/resource_store.ts";
import { type World, world } from "../../../tests/support/discovery.ts";
import { createReceipts, type Receipt, type ReceiptOptions, type Receipts } from "./mod.ts";
import { TYPE_URLS } from "../../mesh/model/mod.ts";

const { cluster: CDS, endpoint: EDS } = TYPE_URLS;

/** Receipts over a test store: its rows are the objects, `rows <type>/<layer>/<name>`. */
function receiptsOver({ graph }: Store, more: Partial<ReceiptOptions> = {}): Receipts {
  return createReceipts({
    edits: graph.edits,
    causes: graph.causes,
    identify: ({ table, key, revision, kind }) => ({
      kind: table === `rows ${CDS}` ? "Cluster" : "Endpoints",
      namespace: key.split("/")[0]!,
      name: key.split("/")[1]!,
      generation: kind === "delete" ? undefined : revision,
      seenAt: undefined,
    }),
    clock: () => Date.now(),
    ...more,
  });
}

interface Scene extends World {
  readonly receipts: Receipts;
  only(kind: string, name: string): Receipt;
}

async function scene(more: Partial<ReceiptOptions> = {}): Promise<Scene> {
  const inner = store([CDS, EDS]);
  const receipts = receiptsOver(inner, more);
  const made = await world([CDS, EDS], {}, { store: inner, observers: [receipts.observer] });
  return Object.assign(made, {
    receipts,
    only: (kind: string, name: string) => receipts.of(kind, "public", name)[0]!,
  });
}

/** The numbers that are not zero. */
function counts(receipt: Receipt): Record<string, number> {
  return Object.fromEntries(Object.entries(receipt.sessions).filter(([, n]) => n > 0));
}

for (const variant of ["delta", "sotw"] as const) {
  Deno.test(`receipts, ${variant}: an edit is complete when all subscribers of its changes acknowledged`, async () => {
    await using w = await scene();
    w.set(EDS, { a: "1", b: "1" });
    w.publish();
    const connect = async (name: string, follows: string) => {
      const delta = variant === "delta" ? w.delta({ name }) : undefined;
      const sotw = variant === "sotw" ? w.sotw({ name }) : undefined;
      const more = { resourceNames: [follows] };
      delta?.send({ typeUrl: EDS, resourceNamesSubscribe: [follows] });
      sotw?.send({ typeUrl: EDS, ...more });
      const answer = async (error?: string) => {
        if (delta) delta.answer(await delta.next(), error);
        else sotw!.answer(await sotw!.next(), error, more);
      };
      await answer();
      const client = delta ?? sotw!;
      await client.quiet();
      return { answer, quiet: () => client.quiet(), close: () => client.close() };
    };
    const [one, two, other] = [
      await connect("one", "a"),
      await connect("two", "a"),
      await connect("other", "b"),
    ];
    w.set(EDS, { a: "2" });
    w.publish();
    const before = w.only("Endpoints", "a");
    assert.deepEqual(counts(before), { concerned: 2, pending: 2 });
    assert.deepEqual(before.resources, [{ typeUrl: EDS, name: "a" }]);
    assert.equal(before.revision, w.graph.revision);
    assert.equal(before.generation, w.graph.revision);
    assert.deepEqual([before.complete, before.lastAckAt, before.p50Ms], [
      false,
      undefined,
      undefined,
    ]);
    await one.answer();
    await one.quiet();
    assert.deepEqual(counts(w.only("Endpoints", "a")), {
      concerned: 2,
      pending: 1,
      acknowledged: 1,
    });
    assert.deepEqual(w.only("Endpoints", "a").streams.map(({ id }) => id), ["two.default-2"]);
    await two.answer("a: not to my liking");
    await two.quiet();
    const after = w.only("Endpoints", "a");
    assert.deepEqual(counts(after), { concerned: 2, rejected: 1, acknowledged: 1 });
    assert.ok(after.complete && after.firstAckAt! >= after.publishedAt && after.p99Ms! >= 0);
    assert.match(after.streams[0]!.message!, /liking/);
    for (const client of [one, two, other]) client.close();
  });
}

Deno.test("receipts: versions overtaken, ends of streams and edits without effect are distinguished", async () => {
  await using w = await scene();
  w.set(CDS, { a: "1", b: "1" });
  w.publish();
  const proxy = w.delta({ name: "slow" });
  proxy.send({ typeUrl: CDS });
  await proxy.take();
  await proxy.quiet();
  // Two publications before anything is sent.
  w.set(CDS, { a: "2", b: "2" });
  w.publish();
  w.set(CDS, { a: "3" });
  w.publish();
  await proxy.take();
  await proxy.quiet();
  const [third, second] = w.receipts.of("Cluster", "public", "a");
  assert.deepEqual(counts(second!), { concerned: 1, superseded: 1 });
  assert.deepEqual(counts(third!), { concerned: 1, acknowledged: 1 });
  assert.deepEqual(counts(w.only("Cluster", "b")), { concerned: 1, acknowledged: 1 });
  w.set(CDS, { hidden: "1" }, "nobody's");
  w.publish();
  const [unseen] = w.receipts.of("Cluster", "nobody's", "hidden");
  assert.deepEqual([unseen!.sessions.concerned, unseen!.resourceCount, unseen!.complete], [
    0,
    0,
    true,
  ]);
  w.set(CDS, { a: undefined });
  w.publish();
  proxy.stream.close();
  await proxy.stream.ended;
  await w.until(() => w.xds.size === 0);
  const [gone] = w.receipts.latest(1);
  assert.deepEqual([gone!.name, gone!.generation], ["a", undefined]);
  assert.deepEqual(counts(gone!), { concerned: 1, closed: 1 });
});

Deno.test("receipts: edits published together have what each of them changed", async () => {
  await using w = await scene();
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS });
  await proxy.take();
  await proxy.quiet();
  w.set(CDS, { a: "1", b: "1" });
  w.publish();
  assert.deepEqual(w.only("Cluster", "a").resources, [{ typeUrl: CDS, name: "a" }]);
  assert.deepEqual(w.only("Cluster", "b").resources, [{ typeUrl: CDS, name: "b" }]);
  proxy.close();
});

Deno.test("receipts: a move to other views concerns the stream, by whatever was edited", async () => {
  await using w = await scene();
  w.set(CDS, { a: "1" });
  w.set(CDS, { a: "other" }, "elsewhere");
  w.publish();
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS });
  await proxy.take();
  await proxy.quiet();
  w.set(CDS, { z: "1" }, "nobody's");
  w.move("default", "elsewhere");
  assert.deepEqual(w.receipts.latest(1)[0]!.resources, [{ typeUrl: CDS, name: "a" }]);
  await proxy.take();
  await proxy.quiet();
  assert.deepEqual(counts(w.receipts.latest(1)[0]!), { concerned: 1, acknowledged: 1 });
  proxy.close();
});

Deno.test("receipts: the ring is bounded in number and in bytes, and what goes is forgotten", async () => {
  for (const bound of [{ limit: 50 }, { maxBytes: 50_000 }]) {
    await using w = await scene(bound);
    const proxy = w.delta();
    proxy.send({ typeUrl: CDS });
    for (let i = 0; i < 300; i++) {
      w.set(CDS, { [`n${i % 7}`]: `${i}` });
      w.publish();
    }
    assert.ok(w.receipts.size <= (bound.limit ?? 300) && w.receipts.size > 20, `${bound}`);
    assert.ok(w.receipts.bytes <= (bound.maxBytes ?? Infinity));
    assert.equal(w.receipts.latest(1000).length, w.receipts.size);
    w.set(CDS, Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`m${i}`, "x"])));
    w.publish();
    if (bound.limit) {
      assert.equal(w.receipts.size, 50);
      assert.equal(w.receipts.of("Cluster", "public", "n1").length, 0);
      assert.equal(w.receipts.of("Cluster", "public", "m0").length, 0);
      assert.equal(w.receipts.of("Cluster", "public", "m199").length, 1);
    }
    proxy.close();
  }
});

Deno.test("receipts: a very large publication is recorded without separating its edits", async () => {
  await using w = await scene({ exactLimit: 3 });
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS });
  await proxy.take();
  await proxy.quiet();
  w.set(CDS, { a: "1", b: "1", c: "1", d: "1" });
  w.publish();
  const receipt = w.only("Cluster", "a");
  assert.deepEqual([receipt.exact, receipt.resourceCount], [false, 4]);
  await proxy.take();
  await proxy.quiet();
  assert.deepEqual(counts(w.only("Cluster", "a")), { concerned: 1, acknowledged: 1 });
  proxy.close();
});
