import assert from "node:assert/strict";
import { hash } from "../../../kit/base/mod.ts";
import type { DeltaDiscoveryResponse } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { type Client, type World, world } from "../../../../tests/support/discovery.ts";
import { wireVersion } from "../wire/wire_version.ts";
import { TYPE_URLS, xdsType } from "../../model/mod.ts";

const { cluster: CDS, endpoint: EDS, listener: LDS, route: RDS } = TYPE_URLS;

/** The version of a content in responses. */
const wire = (content: string): string => wireVersion({ version: hash(content) });

const ALL = [RDS, LDS, EDS, CDS];

function line(response: DeltaDiscoveryResponse): string {
  const names = response.resources.map((r) => `+${r.name}`);
  const gone = response.removedResources.map((name) => `-${name}`);
  return [xdsType(response.typeUrl).short, ...names.sort(), ...gone.sort()].join(" ");
}

type Proxy = Client<object, DeltaDiscoveryResponse>;

async function synced(w: World): Promise<Proxy> {
  const proxy = w.delta() as Proxy;
  for (const typeUrl of [CDS, LDS]) {
    proxy.send({ typeUrl });
    await proxy.take();
  }
  for (const typeUrl of [EDS, RDS]) {
    proxy.send({ typeUrl, resourceNamesSubscribe: ["a", "b"] });
    await proxy.take();
  }
  await proxy.quiet();
  return proxy;
}

function everywhere(w: World, edit: Record<string, string | undefined>): void {
  for (const type of ALL) w.set(type, edit);
  w.publish();
}

Deno.test("additions go clusters, endpoints, listeners, routes; removals the other way", async () => {
  await using w = await world(ALL);
  everywhere(w, { a: "1" });
  const proxy = await synced(w);
  everywhere(w, { a: "2", b: "1" });
  const lines: string[] = [];
  for (let i = 0; i < 4; i++) lines.push(line(await proxy.take()));
  assert.deepEqual(lines, ["cds +a +b", "eds +a +b", "lds +a +b", "rds +a +b"]);
  await proxy.quiet();
  everywhere(w, { b: undefined });
  lines.length = 0;
  for (let i = 0; i < 4; i++) lines.push(line(await proxy.take()));
  assert.deepEqual(lines, ["rds -b", "lds -b", "eds -b", "cds -b"]);
  proxy.close();
});

Deno.test("a replaced resource is removed after the client accepted its replacement", async () => {
  await using w = await world(ALL);
  w.set(EDS, { b: "1" });
  everywhere(w, { a: "1" });
  const proxy = await synced(w);
  w.set(CDS, { a: undefined, b: "1" });
  w.set(LDS, { a: "to b" });
  w.publish();
  const clusters = await proxy.next();
  const endpoints = await proxy.next();
  const listeners = await proxy.next();
  assert.deepEqual([clusters, endpoints, listeners].map(line), ["cds +b", "eds +b", "lds +a"]);
  proxy.answer(clusters);
  proxy.answer(endpoints);
  assert.deepEqual(await proxy.quiet(), [], "the listener may still send to a");
  proxy.answer(listeners);
  assert.equal(line(await proxy.take()), "cds -a");
  proxy.close();
});

Deno.test("a resource that returns before its removal was sent is not removed", async () => {
  await using w = await world(ALL);
  w.set(EDS, { b: "1" });
  everywhere(w, { a: "1" });
  const proxy = await synced(w);
  w.set(CDS, { a: undefined, b: "1" });
  w.set(LDS, { a: "to b" });
  w.publish();
  const first = [await proxy.next(), await proxy.next(), await proxy.next()];
  w.set(CDS, { a: "again" });
  w.publish();
  const second = await proxy.next();
  assert.equal(line(second), "cds +a");
  const endpoints = await proxy.next();
  assert.equal(line(endpoints), "eds +a");
  for (const response of [...first, second, endpoints]) proxy.answer(response);
  assert.deepEqual(await proxy.quiet(), []);
  assert.deepEqual(await proxy.quiet(), [], "nor when all is answered");
  proxy.close();
});

Deno.test("removals do not wait for ever for a client that does not acknowledge", async () => {
  await using w = await world(ALL, { drainMs: 1 });
  w.set(EDS, { b: "1" });
  everywhere(w, { a: "1" });
  const proxy = await synced(w);
  w.set(CDS, { a: undefined, b: "1" });
  w.set(LDS, { a: "to b" });
  w.publish();
  const lines: string[] = [];
  for (let i = 0; i < 4; i++) lines.push(line(await proxy.next()));
  assert.deepEqual(lines, ["cds +b", "eds +b", "lds +a", "cds -a"]);
  proxy.close();
});

Deno.test("types asked for in the wrong order are still answered in the right one", async () => {
  await using w = await world(ALL);
  everywhere(w, { a: "1" });
  const proxy = w.delta();
  proxy.send({ typeUrl: RDS, resourceNamesSubscribe: ["a"] });
  proxy.send({ typeUrl: EDS, resourceNamesSubscribe: ["a"] });
  await proxy.take();
  await proxy.take();
  const [info] = w.xds.sessions();
  assert.deepEqual(info!.types.map((type) => type.short), ["eds", "rds"]);
  proxy.close();
});

/** Clusters of types EDS (3) and ORIGINAL_DST (4), with nothing but their type in field 2. */
const BY_EDS = new Uint8Array([0x10, 3]);
const BY_DESTINATION = new Uint8Array([0x10, 4]);

/** Makes a new cluster, endpoints of its name, and a route that refers to it. */
function referTo(w: World, cluster: string, content = BY_EDS): void {
  w.set(CDS, { [cluster]: content });
  w.set(EDS, { [cluster]: "1" });
  w.set(RDS, { a: `to ${cluster}` });
  w.publish();
}

Deno.test("routes wait until the client took the endpoints of new clusters", async () => {
  await using w = await world(ALL);
  everywhere(w, { a: "1" });
  const proxy = await synced(w);
  referTo(w, "new");
  assert.equal(line(await proxy.take()), "cds +new");
  assert.deepEqual(await proxy.quiet(), [], "the cluster is not warm yet");
  proxy.send({ typeUrl: EDS, resourceNamesSubscribe: ["new"] });
  const endpoints = await proxy.next();
  assert.equal(line(endpoints), "eds +new");
  assert.deepEqual(await proxy.quiet(), [], "its endpoints were not taken yet");
  proxy.answer(endpoints);
  assert.equal(line(await proxy.take()), "rds +a");
  proxy.close();
});

Deno.test("a replaced resource stays while routes wait for its replacement", async () => {
  await using w = await world(ALL);
  everywhere(w, { a: "1", b: "1" });
  const proxy = await synced(w);
  w.set(CDS, { b: undefined });
  w.set(EDS, { b: undefined });
  referTo(w, "new");
  assert.equal(line(await proxy.take()), "cds +new");
  assert.deepEqual(await proxy.quiet(), []);
  proxy.send({ typeUrl: EDS, resourceNamesSubscribe: ["new"] });
  const lines: string[] = [];
  for (let i = 0; i < 4; i++) lines.push(line(await proxy.take()));
  assert.deepEqual(lines, ["eds +new", "rds +a", "eds -b", "cds -b"]);
  proxy.close();
});

Deno.test("routes do not wait for clusters whose endpoints are not subscribed to", async () => {
  await using w = await world(ALL);
  everywhere(w, { a: "1" });
  const proxy = await synced(w);
  referTo(w, "new", BY_DESTINATION);
  assert.equal(line(await proxy.take()), "cds +new");
  assert.equal(line(await proxy.take()), "rds +a");
  proxy.close();
});

Deno.test("routes do not wait for ever for a client that asks for no endpoints", async () => {
  await using w = await world(ALL, { warmMs: 1 });
  everywhere(w, { a: "1" });
  const proxy = await synced(w);
  referTo(w, "new");
  assert.equal(line(await proxy.take()), "cds +new");
  assert.equal(line(await proxy.take()), "rds +a");
  proxy.close();
});

Deno.test("a reconnected client removes vanished resources in the order of removals", async () => {
  await using w = await world(ALL, { settleMs: 50 });
  everywhere(w, { a: "1", b: "1" });
  const proxy = await synced(w);
  proxy.close();
  w.set(CDS, { b: undefined });
  w.set(RDS, { a: "to another" });
  w.publish();
  const back = w.delta() as Proxy;
  back.send({ typeUrl: CDS, initialResourceVersions: { a: wire("1"), b: wire("1") } });
  back.send({
    typeUrl: RDS,
    resourceNamesSubscribe: ["a"],
    initialResourceVersions: { a: "before" },
  });
  assert.equal(line(await back.take()), "rds +a");
  assert.equal(line(await back.take()), "cds -b");
  back.close();
});
