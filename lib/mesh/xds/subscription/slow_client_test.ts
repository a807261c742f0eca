import assert from "node:assert/strict";
import type { DeltaDiscoveryResponse } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { type ProxyNode, TYPE_URLS } from "../../model/mod.ts";
import { snapshots } from "./snapshot.ts";
import { type World, world } from "../../../../tests/support/discovery.ts";
import { store } from "../../../../tests/support/resource_store.ts";

const { cluster: CDS, endpoint: EDS } = TYPE_URLS;

/** More than a client that does not read gives credit for. */
const LARGE = 3 * 1024 * 1024;

function large(letter: string): Uint8Array {
  return new Uint8Array(LARGE).fill(letter.charCodeAt(0));
}

/** A server whose logs have four changes. */
function forgetful(slotMs: number): Promise<World> {
  return world([CDS, EDS], { slotMs }, { store: store([CDS, EDS], { logLimit: 4 }) });
}

/** Makes more changes than the logs have: `a` and many others are new, `b` is removed. */
function storm(w: World, type: string): void {
  w.set(type, { a: "a2", b: undefined });
  w.publish();
  for (let i = 0; i < 20; i++) {
    w.set(type, { [`c${i % 5}`]: `c${i}` });
    w.publish();
  }
}

/** Resources of a client after some responses: contents, or the length of long ones. */
function apply(
  holds: Map<string, string>,
  { resources, removedResources }: DeltaDiscoveryResponse,
) {
  for (const { name, resource } of resources) {
    const { value } = resource!;
    holds.set(name, value.length < 100 ? new TextDecoder().decode(value) : String(value.length));
  }
  for (const name of removedResources) holds.delete(name);
}

Deno.test("behind: a client that did not read while logs ran out is sent what differs, removals too", async () => {
  await using w = await forgetful(1);
  w.set(CDS, { a: "a1", b: "b1", big: large("x") });
  w.publish();
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS });
  const holds = new Map<string, string>();
  while (!holds.has("big") || !holds.has("a")) apply(holds, await proxy.take());
  w.set(CDS, { big: large("y") });
  w.publish();
  await w.until(() => w.xds.sessions()[0]!.behind);
  storm(w, CDS);
  while (holds.has("b")) apply(holds, await proxy.take());
  assert.deepEqual([...holds].sort(), [
    ["a", "a2"],
    ["big", String(LARGE)],
    ...[15, 16, 17, 18, 19].map((i) => [`c${i % 5}`, `c${i}`]),
  ]);
  assert.deepEqual(await proxy.quiet(), []);
  assert.equal(w.xds.sessions()[0]!.behind, false);
  proxy.close();
});

Deno.test("behind: a client that left a class while it did not read is sent the removals of that class's own resources", async () => {
  await using w = await forgetful(1);
  w.set(CDS, { all: "all1", big: large("x") });
  w.set(CDS, { old: "old1", both: "both1" }, "default");
  w.set(CDS, { both: "both2", fresh: "fresh1" }, "elsewhere");
  w.publish();
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS });
  const holds = new Map<string, string>();
  while (holds.size < 4) apply(holds, await proxy.take());
  w.set(CDS, { big: large("y") });
  w.publish();
  await w.until(() => w.xds.sessions()[0]!.behind);
  w.move("default", "elsewhere");
  // The layer it left changes on, and forgets how it was.
  w.set(CDS, { old: undefined }, "default");
  for (let i = 0; i < 10; i++) {
    w.set(CDS, { [`o${i}`]: "o" }, "default");
    w.publish();
  }
  while (holds.has("old")) apply(holds, await proxy.take());
  assert.deepEqual([...holds].sort(), [
    ["all", "all1"],
    ["big", String(LARGE)],
    ["both", "both2"],
    ["fresh", "fresh1"],
  ]);
  proxy.close();
});

Deno.test("behind: a stream ends when it is unknown what its client holds, and the next one is right", async () => {
  await using w = await forgetful(60_000);
  w.set(CDS, { a: "a1", b: "b1", big: large("x") });
  w.publish();
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS });
  const holds = new Map<string, string>();
  const versions: Record<string, string> = {};
  const take = async () => {
    const response = await proxy.take();
    apply(holds, response);
    for (const { name, version } of response.resources) versions[name] = version;
  };
  while (holds.size < 3) await take();
  w.set(CDS, { big: large("y") });
  w.publish();
  await w.until(() => w.xds.sessions()[0]!.types[0]!.state === "STALE");
  storm(w, CDS);
  await assert.rejects(async () => {
    for (;;) await take();
  }, /fell behind too far/);
  const again = w.delta();
  again.send({ typeUrl: CDS, initialResourceVersions: versions });
  while (holds.has("b")) apply(holds, await again.take());
  assert.equal(holds.get("a"), "a2");
  assert.equal(holds.size, 7);
  again.close();
});

Deno.test("behind: state of the world sends everything again", async () => {
  await using w = await forgetful(60_000);
  w.set(EDS, { a: "a1", big: large("x") });
  w.publish();
  const proxy = w.sotw();
  proxy.send({ typeUrl: EDS, resourceNames: ["a", "big"] });
  const first = await proxy.next();
  proxy.answer(first, undefined, { versionInfo: "1", resourceNames: ["a", "big"] });
  w.set(EDS, { big: large("y") });
  w.publish();
  await w.until(() => w.xds.sessions()[0]!.types[0]!.state === "STALE");
  storm(w, EDS);
  const text = new TextDecoder();
  for (let seen = ""; seen !== "a2";) {
    const { resources, ...response } = await proxy.next();
    proxy.answer(response, undefined, { versionInfo: "1", resourceNames: ["a", "big"] });
    for (const { value } of resources) if (value.length === 2) seen = text.decode(value);
  }
  proxy.close();
});

Deno.test("behind: the kept state is bounded, and the newest stays", () => {
  const w = store([CDS]);
  w.set(CDS, { a: "a1" });
  w.publish();
  const binding = w.source.bind({ namespace: "default" } as ProxyNode, () => {});
  const view = binding.view(CDS)!;
  const keep = snapshots();
  const first = keep.keep(view, w.source.revision)!;
  assert.equal(keep.keep(view, w.source.revision), first, "one for all who hold the same");
  for (let i = 0; i < 100; i++) keep.keep(view, w.source.revision + 1 + i);
  assert.equal(keep.size, 64);
  assert.equal(first.content, undefined);
});
