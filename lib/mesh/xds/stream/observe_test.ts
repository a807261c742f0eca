import assert from "node:assert/strict";
import type { SentEvent, XdsObserver } from "../mod.ts";
import { joined } from "./observe.ts";
import { type World, world } from "../../../../tests/support/discovery.ts";
import { TYPE_URLS } from "../../model/mod.ts";

const { cluster: CDS, endpoint: EDS } = TYPE_URLS;

/** Events as lines, in order. */
function recorder(): { observer: XdsObserver; take(): string[]; sent: SentEvent[] } {
  const lines: string[] = [];
  const sent: SentEvent[] = [];
  const short = (typeUrl: string) => typeUrl === CDS ? "cds" : typeUrl === EDS ? "eds" : "other";
  const observer: XdsObserver = {
    opened: ({ id }) => void lines.push(`opened ${id}`),
    closed: ({ id }) => void lines.push(`closed ${id}`),
    published({ concerns }) {
      const lists = concerns.flatMap(({ view, before, subscribers }) =>
        subscribers.map(({ stream, typeUrl, wildcard, wants }) =>
          `${stream.id} ${short(typeUrl)} ${wildcard ? "all" : wants("a") ? "a" : "not a"}` +
          (view === before ? "" : " moved")
        )
      );
      lines.push(`published ${lists.sort().join(", ")}`);
    },
    sent(event) {
      sent.push(event);
      const names = event.resources.map(({ name }) => name);
      lines.push(`sent ${short(event.typeUrl)} +${names} -${event.removed}`);
    },
    acknowledged: ({ typeUrl }) => void lines.push(`ack ${short(typeUrl)}`),
    rejected: ({ typeUrl, names }) => void lines.push(`nack ${short(typeUrl)} ${names}`),
    settled: ({ typeUrl, revision }) => void lines.push(`settled ${short(typeUrl)} ${revision}`),
  };
  const take = () => lines.splice(0).filter((line) => !/ other\b/.test(line));
  return { observer, sent, take };
}

/** The lines from `world.graph.revision` on, with it written as R. */
function at(world: World, lines: string[]): string[] {
  return lines.map((line) => line.replace(new RegExp(` ${world.graph.revision}$`), " R"));
}

for (const variant of ["delta", "sotw"] as const) {
  Deno.test(`observers, ${variant}: are notified of publications, pushes and answers in order`, async () => {
    const { observer, take, sent } = recorder();
    await using w = await world([CDS, EDS], {}, { observers: [observer] });
    w.set(CDS, { a: "1" });
    w.set(EDS, { a: "1", b: "1" });
    w.publish();
    take();
    const delta = variant === "delta" ? w.delta() : undefined;
    const sotw = variant === "sotw" ? w.sotw() : undefined;
    const proxy = delta ?? sotw!;
    proxy.send({ typeUrl: CDS });
    await proxy.take();
    if (delta) delta.send({ typeUrl: EDS, resourceNamesSubscribe: ["a"] });
    else sotw!.send({ typeUrl: EDS, resourceNames: ["a"] });
    if (delta) await delta.take();
    else sotw!.answer(await sotw!.next(), undefined, { resourceNames: ["a"] });
    await proxy.quiet();
    const first = at(w, take());
    assert.equal(first[0], "opened app.default-1");
    for (const line of ["sent cds +a -", "ack cds", "settled cds R", "settled eds R"]) {
      assert.ok(first.includes(line), `${line} in ${first}`);
    }
    assert.equal(sent[0]!.from, 0);

    w.set(EDS, { a: "2", b: "2" });
    w.publish();
    const response = await proxy.next();
    assert.deepEqual(at(w, take()), ["published app.default-1 eds a", "sent eds +a -"]);
    const event = sent.find(({ nonce }) => nonce === response.nonce)!;
    assert.equal(event.revision, w.graph.revision);
    assert.ok(event.from < event.revision && event.bytes > 10);
    if (delta) delta.answer(response);
    else sotw!.answer(response, undefined, { resourceNames: ["a"] });
    await proxy.quiet();
    assert.deepEqual(at(w, take()), ["ack eds", "settled eds R"]);
    proxy.close();
    await proxy.stream.ended;
    await w.until(() => w.xds.size === 0);
    assert.deepEqual(take(), ["closed app.default-1"]);
  });
}

Deno.test("observers: a rebinding is notified with both views, and unanswered responses are not settled", async () => {
  const { observer, take } = recorder();
  await using w = await world([CDS], {}, { observers: [observer] });
  w.set(CDS, { a: "1" });
  w.set(CDS, { a: "other" }, "moved");
  w.publish();
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS });
  await proxy.take();
  await proxy.quiet();
  take();
  w.move("default", "moved");
  await proxy.next();
  assert.deepEqual(take(), ["published app.default-1 cds all moved", "sent cds +a -"]);
  await proxy.quiet();
  assert.ok(!take().some((line) => line.startsWith("settled cds")));
  proxy.close();
});

Deno.test("observers: one that throws is reported, and the others are notified", () => {
  const failures: unknown[] = [];
  const heard: string[] = [];
  const both = joined([
    { opened: () => assert.fail("broken") },
    { opened: ({ id }) => void heard.push(id) },
  ], (error) => failures.push(error));
  both.opened!({ id: "x" } as Parameters<NonNullable<XdsObserver["opened"]>>[0]);
  assert.deepEqual(heard, ["x"]);
  assert.equal(failures.length, 1);
  assert.deepEqual(Object.keys(both), ["opened"], "what nobody listens to has no function");
});
