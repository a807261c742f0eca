import assert from "node:assert/strict";
import type { DeltaDiscoveryResponse } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { type World, world } from "../../../../tests/support/discovery.ts";
import { TYPE_URLS } from "../../model/mod.ts";

const { cluster: CDS, route: RDS } = TYPE_URLS;

const MINUTE = 60_000;

/** A clock that the test advances. */
function handClock() {
  let now = 1_000_000;
  const timers = new Map<object, { readonly at: number; readonly run: () => void }>();
  return {
    clock: () => now,
    timer(run: () => void, ms: number) {
      const key = {};
      timers.set(key, { at: now + ms, run });
      return () => void timers.delete(key);
    },
    pass(ms: number) {
      now += ms;
      for (const [key, { at, run }] of [...timers]) {
        if (at <= now && timers.delete(key)) run();
      }
    },
    get timers() {
      return timers.size;
    },
  };
}

/** A client that rejects content that ends with `bad` while it is configured to. */
function choosy(w: World, typeUrl: string, name: string, names: readonly string[] = []) {
  const proxy = w.delta({ name });
  const text = new TextDecoder();
  const said: string[] = [];
  const holds = new Map<string, string>();
  let isChoosy = true;
  proxy.send({ typeUrl, resourceNamesSubscribe: [...names] });
  const absorb = (response: DeltaDiscoveryResponse) => {
    const contents = response.resources.map(({ name, resource }) =>
      [name, text.decode(resource!.value)] as const
    );
    for (const [, content] of contents) said.push(content);
    const bad = contents.find(([, content]) => isChoosy && content.endsWith("bad"));
    if (!bad) { for (const [name, content] of contents) holds.set(name, content); }
    proxy.answer(response, bad && `${bad[0]} cannot be`);
  };
  return {
    holds,
    /** Contents sent since the last call. */
    sent: () => said.splice(0),
    relent: () => void (isChoosy = false),
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

Deno.test("retry: a rejected version is sent at growing intervals, to the proxies that rejected it in turn", async () => {
  const time = handClock();
  await using w = await world([RDS], {}, time);
  w.set(RDS, { a: "a1", b: "b bad" });
  w.publish();
  const one = choosy(w, RDS, "one", ["a", "b"]);
  await one.settle();
  const two = choosy(w, RDS, "two", ["a", "b"]);
  await two.settle();
  one.sent();
  two.sent();
  const [held] = w.xds.quarantined();
  assert.deepEqual([held!.tries, held!.retryAt], [0, time.clock() + MINUTE]);
  let wait = 1;
  for (let tries = 1; tries <= 8; tries++) {
    time.pass(wait * MINUTE - 1);
    await Promise.all([one.settle(), two.settle()]);
    assert.deepEqual([one.sent(), two.sent()], [[], []], `not before ${wait} minutes`);
    time.pass(1);
    await Promise.all([one.settle(), two.settle()]);
    const sent = [one.sent(), two.sent()];
    assert.deepEqual(tries % 2 === 1 ? sent : sent.toReversed(), [["b bad"], []]);
    assert.equal(w.xds.quarantined()[0]!.tries, tries);
    wait = Math.min(30, wait * 2);
  }
  assert.equal(wait, 30);
  one.close();
  two.close();
  await w.until(() => w.xds.size === 0);
  assert.equal(time.timers, 0, "nobody is there to try it");
});

Deno.test("retry: after one proxy accepts a version, the others of its class are sent it", async () => {
  const time = handClock();
  await using w = await world([CDS], {}, time);
  w.set(CDS, { a: "a1", b: "b1" });
  w.publish();
  const one = choosy(w, CDS, "one");
  const two = choosy(w, CDS, "two");
  await Promise.all([one.settle(), two.settle()]);
  w.set(CDS, { b: "b bad" });
  w.publish();
  await Promise.all([one.settle(), two.settle()]);
  assert.deepEqual([one.holds.get("b"), two.holds.get("b")], ["b1", "b1"]);
  one.relent();
  two.relent();
  for (let i = 0; i < 2; i++) {
    time.pass(MINUTE);
    await Promise.all([one.settle(), two.settle()]);
  }
  assert.deepEqual([one.holds.get("b"), two.holds.get("b")], ["b bad", "b bad"]);
  assert.deepEqual(w.xds.quarantined(), []);
  assert.deepEqual(w.xds.sessions().map(({ types }) => types[0]!.state), ["SYNCED", "SYNCED"]);
  time.pass(30 * MINUTE);
  assert.equal(time.timers, 0, "nothing is left to be tried");
  one.close();
  two.close();
});

Deno.test("retry: a new version is sent at once, and its retry interval starts again", async () => {
  const time = handClock();
  await using w = await world([RDS], {}, time);
  w.set(RDS, { b: "b bad" });
  w.publish();
  const one = choosy(w, RDS, "one", ["b"]);
  await one.settle();
  for (let i = 0; i < 3; i++) {
    time.pass(30 * MINUTE);
    await one.settle();
  }
  assert.equal(w.xds.quarantined()[0]!.tries, 3);
  one.sent();
  w.set(RDS, { b: "b2 bad" });
  w.publish();
  await one.settle();
  assert.deepEqual(one.sent(), ["b2 bad"]);
  const [held] = w.xds.quarantined();
  assert.deepEqual([held!.tries, held!.retryAt], [0, time.clock() + MINUTE]);
  time.pass(MINUTE);
  await one.settle();
  assert.deepEqual(one.sent(), ["b2 bad"]);
  one.close();
});

Deno.test("retry: a full response of state of the world is not sent again, for what it leaves out is gone", async () => {
  const time = handClock();
  await using w = await world([CDS], {}, time);
  w.set(CDS, { a: "a1", b: "b bad" });
  w.publish();
  const proxy = w.sotw();
  proxy.send({ typeUrl: CDS });
  proxy.answer(await proxy.next(), "Error adding/updating cluster(s) b: no");
  await w.until(() => w.xds.quarantined().length === 1);
  time.pass(MINUTE);
  assert.deepEqual(await proxy.quiet(), []);
  assert.deepEqual(w.xds.quarantined().map(({ name, tries }) => [name, tries]), [["b", 0]]);
  proxy.close();
});
