/**
 * The answers of proxies that contradict: a rejection takes nothing from others, and those who reject
 * what others accept are named.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { DeltaDiscoveryResponse } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { TYPE_URLS } from "../../model/mod.ts";
import { type World, world, type WorldOptions } from "../../../../tests/support/discovery.ts";

const { cluster: CDS, listener: LDS, route: RDS } = TYPE_URLS;

const decoder = new TextDecoder();

/** Proxies whose name is that of their service account, `ACCOUNT-NUMBER`; `anonymous-…` have none. */
const PROVED: WorldOptions = {
  options: {
    authorize: (_, { name }) => {
      const account = name.split("-")[0]!;
      return Promise.resolve(account === "anonymous" ? {} : { identity: idOf(account) });
    },
  },
};

function idOf(account: string): string {
  return `spiffe://cluster.local/ns/default/sa/${account}`;
}

type Judge = (name: string, content: string) => boolean;

/** Accepts all that does not end with `bad`. */
const honest: Judge = (_, content) => !content.endsWith("bad");
const liar: Judge = () => false;

/** A client that names nothing when it rejects a response, and then applies nothing of it. */
function client(
  w: World,
  typeUrl: string,
  name: string,
  { judge = honest, names = [] }: { readonly judge?: Judge; readonly names?: string[] } = {},
) {
  const proxy = w.delta({ name });
  const holds = new Map<string, string>();
  let responses = 0;
  proxy.send({ typeUrl, resourceNamesSubscribe: names });
  const absorb = (response: DeltaDiscoveryResponse) => {
    responses++;
    const contents = response.resources.map(({ name, resource }) =>
      [name, decoder.decode(resource!.value)] as const
    );
    if (!contents.every(([name, content]) => judge(name, content))) {
      return proxy.answer(response, "one of them cannot be");
    }
    for (const [name, content] of contents) holds.set(name, content);
    for (const removed of response.removedResources) holds.delete(removed);
    proxy.answer(response);
  };
  return {
    holds,
    responses: () => responses,
    async settle() {
      for (let idle = 0; idle < 2;) {
        const before = await proxy.quiet();
        for (const response of before) absorb(response);
        idle = before.length > 0 ? 0 : idle + 1;
      }
    },
    close: () => proxy.close(),
  };
}

function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`r${i}`, `r${i} 1`]));
}

for (const typeUrl of [CDS, LDS, RDS]) {
  Deno.test(`a client that rejects everything takes nothing from proxies that connect later, ${typeUrl}`, async () => {
    await using w = await world([typeUrl], { maxTypes: 1000 }, PROVED);
    const resources = many(40);
    const names = Object.keys(resources);
    w.set(typeUrl, resources);
    w.publish();
    // Several connections, accounts, and clients without an identity.
    const liars = ["liar-1", "liar-2", "other-1", "anonymous-1", "anonymous-2"].map((name) =>
      client(w, typeUrl, name, { judge: liar, names })
    );
    for (const one of liars) await one.settle();
    const proxies = [];
    for (const name of ["a-1", "b-1", "c-1"]) {
      const proxy = client(w, typeUrl, name, { names });
      await proxy.settle();
      assert.deepEqual(Object.fromEntries(proxy.holds), resources, name);
      assert.equal(proxy.responses(), 1, "at once");
      proxies.push(proxy);
    }
    const [held] = w.xds.quarantined();
    assert.deepEqual(held!.acceptedBy, ["a", "b", "c"].map(idOf));
    assert.deepEqual(held!.outvoted.filter((name) => name.startsWith("spiffe:")), [
      idOf("liar"),
      idOf("other"),
    ]);
    assert.equal(held!.outvoted.filter((name) => name.startsWith("127.0.0.1 ")).length, 2);
    w.set(typeUrl, { r1: "r1 2" });
    w.publish();
    for (const one of liars) {
      await one.settle();
      one.close();
    }
    await w.until(() => w.xds.size === proxies.length);
    assert.deepEqual(w.xds.quarantined(), []);
    const late = client(w, typeUrl, "late-1", { names });
    for (const proxy of [...proxies, late]) {
      await proxy.settle();
      assert.deepEqual(Object.fromEntries(proxy.holds), { ...resources, r1: "r1 2" });
      proxy.close();
    }
  });
}

Deno.test("a client with the identity and the name of another takes nothing from it", async () => {
  await using w = await world([CDS], {}, PROVED);
  const resources = many(5);
  w.set(CDS, resources);
  w.publish();
  const [double, proxy] = [client(w, CDS, "a-1", { judge: liar }), client(w, CDS, "a-1")];
  for (const one of [double, proxy]) await one.settle();
  const again = client(w, CDS, "a-1");
  await again.settle();
  for (const one of [proxy, again]) {
    assert.deepEqual(Object.fromEntries(one.holds), resources);
    one.close();
  }
  double.close();
});

Deno.test("in state of the world a rejection takes nothing from others", async () => {
  await using w = await world([CDS], {}, PROVED);
  w.set(CDS, { a: "a1", b: "b1" });
  w.publish();
  const names = async (name: string) => {
    const proxy = w.sotw({ name });
    proxy.send({ typeUrl: CDS });
    const { resources } = await proxy.take();
    return { proxy, contents: resources.map(({ value }) => decoder.decode(value)).sort() };
  };
  const first = await names("first-1");
  const bad = w.sotw({ name: "liar-1" });
  bad.send({ typeUrl: CDS });
  bad.answer(await bad.next(), "I take nothing");
  await w.until(() => w.xds.quarantined().length === 2);
  w.set(CDS, { c: "c1" });
  w.publish();
  const { resources } = await first.proxy.take();
  assert.equal(resources.length, 3);
  const late = await names("late-1");
  assert.deepEqual(late.contents, ["a1", "b1", "c1"]);
  for (const { proxy } of [first, late]) proxy.close();
  bad.close();
});

Deno.test("a version that all reject is withheld from all, and later proxies find it in few responses and get the version before", async () => {
  await using w = await world([RDS], { maxTypes: 1000 }, PROVED);
  const resources = many(60);
  const names = Object.keys(resources);
  w.set(RDS, resources);
  w.publish();
  const proxies = ["a-1", "b-1", "c-1"].map((name) => client(w, RDS, name, { names }));
  for (const proxy of proxies) await proxy.settle();
  w.set(RDS, { r41: "r41 bad", r7: "r7 2" });
  w.publish();
  await Promise.all(proxies.map((proxy) => proxy.settle()));
  const expected = { ...resources, r7: "r7 2" };
  for (const proxy of proxies) {
    assert.deepEqual(Object.fromEntries(proxy.holds), expected);
    assert.ok(proxy.responses() <= 4, `${proxy.responses()}`);
  }
  const [held, ...more] = w.xds.quarantined();
  assert.deepEqual([held!.name, more.length], ["r41", 0]);
  assert.deepEqual([held!.rejectedBy, held!.acceptedBy, held!.outvoted], [
    ["a", "b", "c"].map(idOf),
    [],
    [],
  ]);
  const late = client(w, RDS, "late-1", { names });
  await late.settle();
  assert.deepEqual(Object.fromEntries(late.holds), expected);
  assert.ok(late.responses() <= 4, `${late.responses()} responses`);
  const before = late.responses();
  await late.settle();
  assert.equal(late.responses(), before, "not sent again");
  // The version before is known when all that rejected it have left, too.
  for (const proxy of [...proxies, late]) proxy.close();
  await w.until(() => w.xds.size === 0);
  const alone = client(w, RDS, "alone-1", { names });
  await alone.settle();
  assert.deepEqual(Object.fromEntries(alone.holds), expected);
  assert.ok(alone.responses() <= 4, `${alone.responses()} responses`);
  w.set(RDS, { r41: "r41 2" });
  w.publish();
  await alone.settle();
  assert.equal(alone.holds.get("r41"), "r41 2");
  assert.deepEqual(w.xds.quarantined(), []);
  alone.close();
});

Deno.test("a proxy that has nothing before gets the version that most identities kept", async () => {
  await using w = await world([CDS], {}, PROVED);
  w.set(CDS, { a: "a1" });
  w.publish();
  const liars = ["liar-1", "liar-2", "liar-3"].map((name) =>
    client(w, CDS, name, { judge: (_, content) => content === "a1" })
  );
  const proxies = ["a-1", "b-1"].map((name) => client(w, CDS, name));
  const all = [...liars, ...proxies];
  for (const content of ["a1", "a2", "a3 bad"]) {
    w.set(CDS, { a: content });
    w.publish();
    for (const one of all) await one.settle();
  }
  // A repeated answer of the liar is no further vote.
  for (const one of liars) await one.settle();
  const late = client(w, CDS, "late-1");
  await late.settle();
  assert.deepEqual([...late.holds], [["a", "a2"]]);
  assert.equal(decoder.decode(w.xds.quarantined()[0]!.lastGood!.bytes), "a2");
  for (const one of [...all, late]) one.close();
});
