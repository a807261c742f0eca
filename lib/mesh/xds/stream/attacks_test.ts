/**
 * Attacks on discovery with an ordinary client at the same time: through real gRPC connections, or in
 * memory with a clock of the test.
 *
 * @module
 */
import assert from "node:assert/strict";
import { encode, fromBinary } from "../../../kit/proto/mod.ts";
import type { RpcStream } from "../../../kit/rpc/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { expose } from "../../../kit/metrics/mod.ts";
import { nodeOf, type World, world } from "../../../../tests/support/discovery.ts";
import { link } from "../../../../tests/support/link.ts";
import { store } from "../../../../tests/support/resource_store.ts";
import { TYPE_URLS } from "../../model/mod.ts";
import { REVIEW_MS } from "../queue/contention.ts";
import { createXdsServer } from "../server.ts";

const { cluster: CDS, endpoint: EDS } = TYPE_URLS;

function request(name: string, more: object = {}): Uint8Array {
  return encode(DeltaDiscoveryRequestSchema, { typeUrl: CDS, node: nodeOf({ name }), ...more });
}

async function exposed(): Promise<string> {
  return String((await expose()).body);
}

async function refused(reason: string): Promise<number> {
  const line = new RegExp(`^mesh_xds_refused_total\\{reason="${reason}"\\} (\\d+)$`, "m");
  return Number(line.exec(await exposed())?.[1] ?? 0);
}

/** Time until an ordinary client has all clusters, milliseconds. */
async function firstSync(w: World, clusters: number): Promise<number> {
  const start = performance.now();
  const proxy = w.delta({ name: "ordinary" });
  proxy.send({ typeUrl: CDS });
  for (let seen = 0; seen < clusters;) seen += (await proxy.take()).resources.length;
  const took = performance.now() - start;
  proxy.close();
  await proxy.stream.ended;
  return took;
}

async function ended(streams: readonly RpcStream[]): Promise<void> {
  for (const stream of streams) stream.close();
  await Promise.all(streams.map((stream) => stream.ended));
}

/** Reads a stream to its end; its error is not of interest. */
async function read(stream: RpcStream): Promise<void> {
  try {
    for await (const _ of stream.messages);
  } catch {
    // Refused, which is counted.
  }
}

Deno.test("300 sessions that read nothing do not delay a first sync", async () => {
  const inner = store([CDS]);
  const content = (i: number) => [`c${i}`, `${i}`.padEnd(20_000, ".")];
  inner.set(CDS, Object.fromEntries(Array.from({ length: 50 }, (_, i) => content(i))));
  inner.publish();
  let time = 0;
  const xds = createXdsServer({
    source: inner.source,
    now: () => time,
    clock: () => 0,
    pod: "p",
    instance: "i",
    pushes: 20,
    requestRate: 1e9,
  });
  let opened = 0;
  const open = (name: string, reads: boolean) => {
    const one = link(`10.0.0.1:${++opened}`);
    one.hold(!reads);
    void xds.services.find(({ path }) => path.includes("Delta"))!.handle(one.call);
    one.toServer(request(name));
    return one;
  };
  // The server's time passes by one review at a time, however slow the machine is.
  const review = async () => {
    time += REVIEW_MS;
    await new Promise((resolve) => setTimeout(resolve, REVIEW_MS + 1));
  };
  const deaf = Array.from({ length: 300 }, (_, i) => open(`deaf-${i}`, false));
  // No time passes until all are open: in time, the first ones are disconnected because of memory.
  while (xds.size < deaf.length) await new Promise((resolve) => setTimeout(resolve, 0));
  const since = time;
  const ordinary = open("ordinary", true);
  const synced = () => {
    const responses = ordinary.fromServer.map((one) =>
      fromBinary(DeltaDiscoveryResponseSchema, one)
    );
    return responses.flatMap(({ resources }) => resources).length === 50;
  };
  // Without a limit on the time that a slot is kept, it takes a minute.
  while (!synced() && time - since < 5000) await review();
  const took = time - since;
  for (const one of [...deaf, ordinary]) one.hangUp();
  while (xds.size > 0) await review();
  assert.ok(took < 2000, `${took} ms`);
});

Deno.test("600 requests that are reset at once give their admission back", async () => {
  await using w = await world([CDS], {}, { requestRate: 50 });
  w.set(CDS, { a: "1" });
  w.publish();
  const streams = Array.from({ length: 600 }, (_, i) => {
    const stream = w.raw("Delta");
    stream.send(request(`reset-${i}`));
    return stream;
  });
  await w.until(() => w.xds.size >= 50);
  await ended(streams);
  const took = await firstSync(w, 1);
  assert.ok(took < 8000, `${Math.round(took)} ms`);
});

Deno.test("versions of clients do not grow the metrics, and go with the clients", async () => {
  await using w = await world([CDS]);
  const before = (await exposed()).length;
  const streams = Array.from({ length: 150 }, (_, i) => {
    const stream = w.raw("Delta");
    const node = {
      ...nodeOf({ name: `v-${i}` }),
      userAgentVersionType: {
        case: "userAgentVersion" as const,
        value: `${i}`.padEnd(50_000, "v"),
      },
    };
    stream.send(encode(DeltaDiscoveryRequestSchema, { typeUrl: CDS, node }));
    return stream;
  });
  await w.until(() => w.xds.size === 150);
  const body = await exposed();
  assert.match(body, /^pilot_xds\{version="other"\} 50$/m);
  assert.ok(body.length < before + 150 * 100, `${body.length - before} more characters`);
  await ended(streams);
  await w.until(() => w.xds.size === 0);
  assert.doesNotMatch(await exposed(), /^pilot_xds\{/m);
});

Deno.test("ids of rejecting clients do not grow the metrics, and go with the clients", async () => {
  await using w = await world([CDS]);
  w.set(CDS, { a: "1" });
  w.publish();
  const name = "n".repeat(500);
  const [one, two] = [w.delta({ name }), w.delta({ name })];
  for (const proxy of [one, two]) {
    proxy.send({ typeUrl: CDS });
    proxy.answer(await proxy.next(), "a: no");
    await proxy.quiet();
  }
  const series = async () => [...(await exposed()).matchAll(/^pilot_xds_cds_reject\{.*$/gm)];
  const [mark, ...more] = await series();
  assert.equal(more.length, 0, "the two have one id");
  assert.ok(mark![0].length < 350, mark![0]);
  one.close();
  await w.until(() => w.xds.size === 1);
  assert.equal((await series()).length, 1, "the other one rejects it still");
  two.close();
  await w.until(() => w.xds.size === 0);
  assert.equal((await series()).length, 0);
});

Deno.test("long names are bounded for a stream and for all together; the stream with the most is ended", async () => {
  await using w = await world([CDS, EDS], { maxNameBytes: 1 << 20, maxNameTable: 3 << 20 });
  const before = [await refused("limit"), await refused("memory")];
  const ask = (stream: RpcStream, from: number, count: number) => {
    const names = Array.from({ length: count }, (_, i) => `${from + i} `.padEnd(2000, "n"));
    stream.send(request("hoarder", { typeUrl: EDS, resourceNamesSubscribe: names }));
  };
  const greedy = w.raw("Delta");
  ask(greedy, 0, 600);
  await read(greedy);
  assert.equal(await refused("limit"), before[0]! + 1);
  const ordinary = w.delta();
  ordinary.send({ typeUrl: EDS, resourceNamesSubscribe: ["a"] });
  await ordinary.take();
  const hoarders = Array.from({ length: 8 }, (_, i) => {
    const stream = w.raw("Delta");
    ask(stream, i * 1000, 500);
    return stream;
  });
  let over = 0;
  const ends = hoarders.map((stream) => read(stream).then(() => over++));
  await w.until(() => over === 5);
  assert.equal(await refused("memory"), before[1]! + 5);
  await ordinary.quiet();
  ordinary.close();
  await ended(hoarders);
  await Promise.all(ends);
});

Deno.test("versions that a client says to hold, of one type after the other, are bounded", async () => {
  await using w = await world([CDS], { maxNameBytes: 1 << 20, slice: 1000 });
  const content = (i: number) => [`c${i}`, `${i}`.padEnd(20_000, ".")];
  w.set(CDS, Object.fromEntries(Array.from({ length: 50 }, (_, i) => content(i))));
  w.publish();
  const before = await refused("limit");
  const deaf = w.raw("Delta", 1000);
  deaf.send(request("deaf"));
  const versions = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`name-${i}`, "v"]));
  await w.until(() => (w.xds.sessions()[0]?.types[0]?.sent?.revision ?? 0) > 0);
  for (let i = 0; i < 60; i++) {
    deaf.send(
      request("deaf", { typeUrl: `type.googleapis.com/T${i}`, initialResourceVersions: versions }),
    );
  }
  await w.until(() => w.xds.size === 0);
  assert.equal(await refused("limit"), before + 1);
  deaf.close();
  await deaf.ended;
});
