import assert from "node:assert/strict";
import type { DeltaDiscoveryResponse } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { world } from "../../../../tests/support/discovery.ts";
import type { Store } from "../../../../tests/support/resource_store.ts";
import { TYPE_URLS } from "../../model/mod.ts";

const { cluster: CDS, endpoint: EDS, route: RDS } = TYPE_URLS;

/** Content of a response: `name=content` of its resources, then `-name` of removed ones. */
function shown(response: DeltaDiscoveryResponse): string[] {
  const text = new TextDecoder();
  return [
    ...response.resources.map((r) => `${r.name}=${text.decode(r.resource!.value)}`).sort(),
    ...response.removedResources.map((name) => `-${name}`).sort(),
  ];
}

function versions(response: DeltaDiscoveryResponse): Record<string, string> {
  return Object.fromEntries(response.resources.map((r) => [r.name, r.version]));
}

function change(store: Store, type: string, edit: Record<string, string | undefined>): void {
  store.set(type, edit);
  store.publish();
}

Deno.test("delta: all resources first, then changed ones, then removed ones", async () => {
  await using w = await world([CDS]);
  change(w, CDS, { a: "a1", b: "b1" });
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS });
  const first = await proxy.take();
  assert.deepEqual(shown(first), ["a=a1", "b=b1"]);
  assert.equal(first.typeUrl, CDS);
  assert.equal(first.resources[0]!.resource!.typeUrl, CDS);
  assert.deepEqual(JSON.parse(first.controlPlane!.identifier).Component, "meshd");

  change(w, CDS, { b: "b2" });
  const second = await proxy.take();
  assert.deepEqual(shown(second), ["b=b2"]);
  assert.notEqual(second.nonce, first.nonce);

  change(w, CDS, { a: undefined });
  assert.deepEqual(shown(await proxy.take()), ["-a"]);
  change(w, CDS, { b: "b2" });
  assert.deepEqual(await proxy.quiet(), []);
  proxy.close();
});

Deno.test("delta: an empty wildcard type is answered, so that the client need not wait", async () => {
  await using w = await world([CDS]);
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS });
  assert.deepEqual(shown(await proxy.take()), []);
  proxy.close();
});

Deno.test("delta: named types send the requested resources and report the missing ones", async () => {
  await using w = await world([EDS]);
  change(w, EDS, { a: "a1", b: "b1", c: "c1" });
  const proxy = w.delta();
  proxy.send({ typeUrl: EDS, resourceNamesSubscribe: ["a", "ghost"] });
  assert.deepEqual(shown(await proxy.take()), ["a=a1", "-ghost"]);
  change(w, EDS, { b: "b2" });
  assert.deepEqual(await proxy.quiet(), []);
  proxy.send({ typeUrl: EDS, resourceNamesSubscribe: ["b"] });
  assert.deepEqual(shown(await proxy.take()), ["b=b2"]);
  change(w, EDS, { ghost: "here" });
  assert.deepEqual(shown(await proxy.take()), ["ghost=here"]);
  proxy.send({ typeUrl: EDS, resourceNamesUnsubscribe: ["a"] });
  // The request is processed before the change.
  assert.deepEqual(await proxy.quiet(), []);
  change(w, EDS, { a: "a2" });
  assert.deepEqual(await proxy.quiet(), []);
  proxy.send({ typeUrl: EDS, resourceNamesSubscribe: ["b"] });
  assert.deepEqual(shown(await proxy.take()), ["b=b2"], "asked for again is sent again");
  proxy.close();
});

Deno.test("delta: wildcard and names together", async () => {
  await using w = await world([CDS]);
  change(w, CDS, { a: "a1", b: "b1" });
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS, resourceNamesSubscribe: ["*", "ghost"] });
  assert.deepEqual(shown(await proxy.take()), ["a=a1", "b=b1", "-ghost"]);
  proxy.send({ typeUrl: CDS, resourceNamesUnsubscribe: ["ghost"] });
  assert.deepEqual(shown(await proxy.take()), ["-ghost"], "what the wildcard says of it");
  proxy.send({ typeUrl: CDS, resourceNamesSubscribe: ["a"] });
  assert.deepEqual(shown(await proxy.take()), ["a=a1"]);
  proxy.send({ typeUrl: CDS, resourceNamesUnsubscribe: ["*"] });
  // The request is processed before the change.
  assert.deepEqual(await proxy.quiet(), []);
  change(w, CDS, { a: "a2", b: "b2" });
  assert.deepEqual(shown(await proxy.take()), ["a=a2"], "without the wildcard the names remain");
  proxy.send({ typeUrl: CDS, resourceNamesSubscribe: ["*"] });
  assert.deepEqual(shown(await proxy.take()), ["a=a2", "b=b2"]);
  proxy.close();
});

Deno.test("delta: a first request that names something is no wildcard", async () => {
  await using w = await world([CDS]);
  change(w, CDS, { a: "a1", b: "b1" });
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS, resourceNamesSubscribe: ["a"] });
  assert.deepEqual(shown(await proxy.take()), ["a=a1"]);
  proxy.close();
});

Deno.test("delta: a reconnected client is sent the differences and the removed names", async () => {
  await using w = await world([CDS, EDS]);
  change(w, CDS, { a: "a1", b: "b1", c: "c1" });
  change(w, EDS, { a: "a1", b: "b1" });
  const before = w.delta();
  before.send({ typeUrl: CDS });
  const clusters = versions(await before.take());
  before.send({ typeUrl: EDS, resourceNamesSubscribe: ["a", "b"] });
  const endpoints = versions(await before.take());
  before.close();

  const same = w.delta();
  same.send({ typeUrl: CDS, initialResourceVersions: clusters, responseNonce: "i.1.1" });
  same.send({
    typeUrl: EDS,
    resourceNamesSubscribe: ["a", "b"],
    initialResourceVersions: endpoints,
  });
  assert.deepEqual(await same.quiet(), []);
  const [info] = w.xds.sessions().filter((session) => session.types.length >= 3);
  assert.equal(info!.types.find((type) => type.short === "cds")!.state, "SYNCED");
  change(w, CDS, { a: "a2" });
  assert.deepEqual(shown(await same.take()), ["a=a2"]);
  same.close();

  change(w, CDS, { b: undefined, d: "d1" });
  const differs = w.delta();
  differs.send({ typeUrl: CDS, initialResourceVersions: clusters });
  assert.deepEqual(shown(await differs.take()), ["a=a2", "d=d1", "-b"]);
  differs.close();
});

Deno.test("delta: a changed cluster's endpoints are sent again, even if the client has them", async () => {
  await using w = await world([CDS, EDS]);
  change(w, CDS, { a: "a1", b: "b1" });
  change(w, EDS, { a: "ea", b: "eb" });
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS });
  const clusters = versions(await proxy.take());
  proxy.send({ typeUrl: EDS, resourceNamesSubscribe: ["a", "b"] });
  const endpoints = versions(await proxy.take());
  change(w, CDS, { a: "a2" });
  assert.deepEqual(shown(await proxy.take()), ["a=a2"]);
  const warm = await proxy.take();
  assert.equal(warm.typeUrl, EDS);
  assert.deepEqual(shown(warm), ["a=ea"]);
  proxy.close();

  const back = w.delta();
  back.send({ typeUrl: CDS, initialResourceVersions: clusters });
  assert.deepEqual(shown(await back.take()), ["a=a2"]);
  back.send({
    typeUrl: EDS,
    resourceNamesSubscribe: ["a", "b"],
    initialResourceVersions: endpoints,
  });
  assert.deepEqual(shown(await back.take()), ["a=ea"], "the cluster warms on this stream too");
  back.close();
});

Deno.test("delta: a rejection is remembered, not answered, and over when the content changes", async () => {
  await using w = await world([CDS]);
  change(w, CDS, { good: "g1", bad: "b1" });
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS });
  const first = await proxy.next();
  proxy.answer(first, "Error adding/updating cluster(s) bad: no such thing");
  assert.deepEqual(await proxy.quiet(), []);
  const status = () => w.xds.sessions()[0]!.types.find((type) => type.short === "cds")!;
  assert.equal(status().state, "ERROR");
  assert.deepEqual(status().nack!.names, ["bad"]);
  assert.match(status().nack!.message, /no such thing/);
  assert.equal(status().nack!.nonce, first.nonce);
  assert.equal(status().acked, undefined);
  change(w, CDS, { good: "g2" });
  assert.deepEqual(shown(await proxy.take()), ["good=g2"]);
  change(w, CDS, { bad: "b2" });
  assert.deepEqual(shown(await proxy.take()), ["bad=b2"]);
  await proxy.quiet();
  assert.equal(status().state, "SYNCED");
  assert.equal(status().nack, undefined);
  proxy.close();
});

Deno.test("delta: an answer with an unknown nonce counts for nothing; what it subscribes to counts", async () => {
  await using w = await world([EDS]);
  change(w, EDS, { a: "a1", b: "b1" });
  const proxy = w.delta();
  proxy.send({ typeUrl: EDS, resourceNamesSubscribe: ["a"] });
  await proxy.next();
  proxy.send({
    typeUrl: EDS,
    responseNonce: "i.9.9",
    errorDetail: { code: 3, message: "old" },
    resourceNamesSubscribe: ["b"],
  });
  assert.deepEqual(shown(await proxy.next()), ["b=b1"]);
  const status = w.xds.sessions()[0]!.types[0]!;
  assert.equal(status.nack, undefined);
  assert.equal(status.state, "STALE", "neither response was acknowledged");
  proxy.close();
});

Deno.test("delta: large content goes out in slices that respect the limit", async () => {
  await using w = await world([RDS, CDS], { slice: 10_000 });
  const edit = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`c${i}`, `${i}`.padEnd(1000, ".")]),
  );
  change(w, CDS, { ...edit, huge: "x".repeat(50_000) });
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS });
  const seen = new Map<string, string>();
  let responses = 0;
  while (seen.size < 101) {
    const response = await proxy.take();
    responses++;
    assert.ok(response.resources.length === 1 || response.resources.length <= 10);
    for (const one of response.resources) {
      assert.ok(!seen.has(one.name), "nothing is sent twice");
      seen.set(one.name, new TextDecoder().decode(one.resource!.value));
    }
  }
  assert.ok(responses >= 11 && responses <= 15, `${responses} responses`);
  assert.equal(seen.get("c7"), edit["c7"]);
  assert.deepEqual(await proxy.quiet(), []);
  change(w, CDS, Object.fromEntries(Object.keys(edit).map((name) => [name, undefined])));
  assert.equal((await proxy.take()).removedResources.length, 100);
  proxy.close();
});

Deno.test("delta: a proxy that rebinds to another class is sent the difference of the two", async () => {
  await using w = await world([CDS]);
  w.set(CDS, { shared: "s1", x: "public" });
  w.set(CDS, { x: "of one", only1: "o1" }, "one");
  w.set(CDS, { x: "of two", only2: "o2" }, "two");
  w.publish();
  const proxy = w.delta({ namespace: "one" });
  proxy.send({ typeUrl: CDS });
  assert.deepEqual(shown(await proxy.take()), ["only1=o1", "shared=s1", "x=of one"]);
  w.move("one", "two");
  assert.deepEqual(shown(await proxy.take()), ["only2=o2", "x=of two", "-only1"]);
  assert.equal(w.xds.sessions()[0]!.classKey, "two");
  w.move("one", "one");
  w.move("one", "two");
  w.move("one", "one");
  assert.deepEqual(shown(await proxy.take()), ["only1=o1", "x=of one", "-only2"]);
  change(w, CDS, { shared: "s2" });
  assert.deepEqual(shown(await proxy.take()), ["shared=s2"]);
  w.set(CDS, { only2: "unseen" }, "two");
  w.publish();
  assert.deepEqual(await proxy.quiet(), []);
  proxy.close();
});

Deno.test("delta: many replicas hold the same, and each follows", async () => {
  await using w = await world([CDS]);
  change(w, CDS, { a: "a1" });
  const proxies = Array.from({ length: 50 }, (_, i) => w.delta({ name: `app-${i}` }));
  for (const proxy of proxies) proxy.send({ typeUrl: CDS });
  for (const proxy of proxies) assert.deepEqual(shown(await proxy.take()), ["a=a1"]);
  for (let i = 2; i < 6; i++) {
    change(w, CDS, { a: `a${i}` });
    for (const proxy of proxies) assert.deepEqual(shown(await proxy.take()), [`a=a${i}`]);
  }
  for (const proxy of proxies) proxy.close();
});
