import assert from "node:assert/strict";
import type { DiscoveryResponse } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { world } from "../../../../tests/support/discovery.ts";
import type { Store } from "../../../../tests/support/resource_store.ts";
import { TYPE_URLS } from "../../model/mod.ts";

const { cluster: CDS, endpoint: EDS, listener: LDS, route: RDS } = TYPE_URLS;

function shown(response: DiscoveryResponse): string[] {
  return response.resources.map((any) => new TextDecoder().decode(any.value)).sort();
}

function change(store: Store, type: string, edit: Record<string, string | undefined>): void {
  store.set(type, edit);
  store.publish();
}

Deno.test("sotw: every change sends all clusters; a missing one is removed", async () => {
  await using w = await world([CDS]);
  change(w, CDS, { a: "a1", b: "b1" });
  const proxy = w.sotw();
  proxy.send({ typeUrl: CDS });
  const first = await proxy.take();
  assert.deepEqual(shown(first), ["a1", "b1"]);
  assert.equal(first.resources[0]!.typeUrl, CDS);
  assert.equal(JSON.parse(first.controlPlane!.identifier).ID, "meshd-0");
  change(w, CDS, { a: "a2" });
  const second = await proxy.take();
  assert.deepEqual(shown(second), ["a2", "b1"]);
  assert.notEqual(second.versionInfo, first.versionInfo);
  change(w, CDS, { b: undefined });
  assert.deepEqual(shown(await proxy.take()), ["a2"]);
  assert.deepEqual(await proxy.quiet(), []);
  proxy.close();
});

Deno.test("sotw: endpoints come as asked for, changed ones alone, missing ones left out", async () => {
  await using w = await world([EDS]);
  change(w, EDS, { a: "a1", b: "b1", c: "c1" });
  const proxy = w.sotw();
  proxy.send({ typeUrl: EDS, resourceNames: ["a", "ghost"] });
  const first = await proxy.next();
  assert.deepEqual(shown(first), ["a1"]);
  proxy.answer(first, undefined, { resourceNames: ["a", "ghost"] });
  change(w, EDS, { a: "a2", b: "b2" });
  const second = await proxy.next();
  assert.deepEqual(shown(second), ["a2"]);
  proxy.answer(second, undefined, { resourceNames: ["a", "b"] });
  const third = await proxy.next();
  assert.deepEqual(shown(third), ["b2"], "a name more is answered with its resource");
  proxy.answer(third, undefined, { resourceNames: ["b"] });
  // The request is processed before the change.
  assert.deepEqual(await proxy.quiet(), []);
  change(w, EDS, { a: "a3" });
  assert.deepEqual(await proxy.quiet(), [], "given up by leaving it out");
  proxy.close();
});

Deno.test("sotw: wildcard by an empty first request, by a star, and ended by names", async () => {
  await using w = await world([CDS]);
  change(w, CDS, { a: "a1", b: "b1" });
  const proxy = w.sotw();
  proxy.send({ typeUrl: CDS, resourceNames: ["a"] });
  const first = await proxy.next();
  assert.deepEqual(shown(first), ["a1"]);
  proxy.answer(first, undefined, { resourceNames: ["*"] });
  const second = await proxy.next();
  assert.deepEqual(shown(second), ["a1", "b1"]);
  proxy.answer(second, undefined, { resourceNames: ["b"] });
  const third = await proxy.next();
  assert.deepEqual(shown(third), ["b1"]);
  proxy.answer(third, undefined, { resourceNames: ["b"] });
  change(w, CDS, { a: "a2" });
  assert.deepEqual(await proxy.quiet(), []);
  change(w, CDS, { b: "b2" });
  assert.deepEqual(shown(await proxy.next()), ["b2"]);
  proxy.close();
});

Deno.test("sotw: a rejection is remembered and not answered", async () => {
  await using w = await world([CDS]);
  change(w, CDS, { a: "a1" });
  const proxy = w.sotw();
  proxy.send({ typeUrl: CDS });
  proxy.answer(await proxy.next(), "bad");
  assert.deepEqual(await proxy.quiet(), []);
  assert.equal(w.xds.sessions()[0]!.types[0]!.state, "ERROR");
  change(w, CDS, { a: "a2" });
  assert.deepEqual(shown(await proxy.take()), ["a2"]);
  await proxy.quiet();
  assert.equal(w.xds.sessions()[0]!.types[0]!.state, "SYNCED");
  proxy.close();
});

Deno.test("sotw: an answer to an earlier response is ignored, names included", async () => {
  await using w = await world([EDS]);
  change(w, EDS, { a: "a1", b: "b1" });
  const proxy = w.sotw();
  proxy.send({ typeUrl: EDS, resourceNames: ["a"] });
  const first = await proxy.next();
  change(w, EDS, { a: "a2" });
  const second = await proxy.next();
  proxy.answer(first, undefined, { resourceNames: ["a", "b"] });
  assert.deepEqual(await proxy.quiet(), []);
  proxy.answer(second, undefined, { resourceNames: ["a", "b"] });
  assert.deepEqual(shown(await proxy.next()), ["b1"]);
  proxy.close();
});

Deno.test("sotw: a nonce of an earlier stream makes no difference to a first request", async () => {
  await using w = await world([CDS]);
  change(w, CDS, { a: "a1" });
  const proxy = w.sotw();
  proxy.send({ typeUrl: CDS, versionInfo: "7", responseNonce: "elsewhere" });
  assert.deepEqual(shown(await proxy.take()), ["a1"]);
  proxy.close();
});

Deno.test("sotw: after clusters, endpoints of the changed ones; after listeners, routes on request", async () => {
  await using w = await world([CDS, EDS, LDS, RDS]);
  change(w, CDS, { a: "a1", b: "b1" });
  change(w, EDS, { a: "ea", b: "eb" });
  change(w, LDS, { l: "l1" });
  change(w, RDS, { r: "r1" });
  const proxy = w.sotw();
  proxy.send({ typeUrl: CDS });
  await proxy.take();
  proxy.send({ typeUrl: EDS, resourceNames: ["a", "b"] });
  proxy.answer(await proxy.next(), undefined, { resourceNames: ["a", "b"] });
  proxy.send({ typeUrl: LDS });
  await proxy.take();
  proxy.send({ typeUrl: RDS, resourceNames: ["r"] });
  const routes = await proxy.next();
  proxy.answer(routes, undefined, { resourceNames: ["r"] });
  assert.deepEqual(await proxy.quiet(), []);

  change(w, CDS, { a: "a2" });
  assert.deepEqual(shown(await proxy.take()), ["a2", "b1"]);
  const endpoints = await proxy.next();
  assert.deepEqual([endpoints.typeUrl, ...shown(endpoints)], [EDS, "ea"]);
  proxy.answer(endpoints, undefined, { resourceNames: ["a", "b"] });

  change(w, LDS, { l: "l2" });
  assert.deepEqual(shown(await proxy.take()), ["l2"]);
  assert.deepEqual(await proxy.quiet(), []);
  proxy.answer(routes, undefined, { resourceNames: ["r"] });
  const again = await proxy.next();
  assert.deepEqual(shown(again), ["r1"], "the listener that warms is waiting for it");
  proxy.answer(again, undefined, { resourceNames: ["r"] });
  assert.deepEqual(await proxy.quiet(), [], "that one was an acknowledgement");
  proxy.close();
});

Deno.test("sotw: clusters go only after the client accepted what replaces them", async () => {
  await using w = await world([CDS, LDS]);
  w.set(CDS, { old: "old cluster" });
  change(w, LDS, { l: "to old" });
  const proxy = w.sotw();
  proxy.send({ typeUrl: CDS });
  await proxy.take();
  proxy.send({ typeUrl: LDS });
  await proxy.take();
  await proxy.quiet();
  w.set(CDS, { old: undefined, next: "new cluster" });
  change(w, LDS, { l: "to next" });
  const both = await proxy.next();
  assert.deepEqual(shown(both), ["new cluster", "old cluster"]);
  const listeners = await proxy.next();
  assert.deepEqual(shown(listeners), ["to next"]);
  proxy.answer(both);
  assert.deepEqual(await proxy.quiet(), []);
  proxy.answer(listeners);
  assert.deepEqual(shown(await proxy.take()), ["new cluster"]);
  proxy.close();
});
