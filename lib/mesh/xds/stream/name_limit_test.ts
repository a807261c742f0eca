import assert from "node:assert/strict";
import { eventually } from "../../../../scripts/harness/mod.ts";
import { expose } from "../../../kit/metrics/mod.ts";
import { TYPE_URLS } from "../../model/mod.ts";
import { roundsEnded } from "../../../kit/rpc/mod.ts";
import { encode } from "../../../kit/proto/mod.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { nodeOf } from "../../../../tests/support/discovery.ts";
import { type Link, link } from "../../../../tests/support/link.ts";
import { type Store, store } from "../../../../tests/support/resource_store.ts";
import { createXdsServer, type XdsServer } from "../server.ts";

const { cluster: CDS, endpoint: EDS } = TYPE_URLS;

/** Memory of one name, bytes: 936 characters, and the 64 of the table. */
const NAME = 1000;
/** Bound on all names. */
const MOST = 1_000_000;

/** Streams in memory that name resources. */
interface World extends AsyncDisposable {
  readonly inner: Store;
  readonly xds: XdsServer;
  /** Opens a stream and waits until its request is accepted or refused. */
  ask(address: string, names: readonly string[]): Promise<Link & { readonly refused: boolean }>;
  send(stream: Link, names: readonly string[]): Promise<void>;
}

function world(): World {
  const inner = store([CDS, EDS]);
  const xds = createXdsServer({
    source: inner.source,
    now: () => performance.now(),
    clock: () => 0,
    pod: "p",
    instance: "i",
    pushes: 20,
    requestRate: 1e9,
    limits: { maxNameTable: MOST },
  });
  const handle = xds.services.find(({ path }) => path.includes("Delta"))!;
  let opened = 0;
  const send = async (stream: Link, names: readonly string[]) => {
    const node = nodeOf({ name: "p" });
    const before = stream.fromServer.length;
    stream.toServer(
      encode(DeltaDiscoveryRequestSchema, {
        node,
        typeUrl: EDS,
        resourceNamesSubscribe: [...names],
      }),
    );
    let over = false;
    void stream.call.ended.then(() => over = true);
    await eventually("a response or the end", () => stream.fromServer.length > before || over);
  };
  return {
    inner,
    xds,
    send,
    [Symbol.asyncDispose]: roundsEnded,
    async ask(address, names) {
      const stream = link(`${address}:${++opened}`);
      let refused = false;
      void handle.handle(stream.call).catch(() => {
        refused = true;
        stream.hangUp();
      });
      await send(stream, names);
      return Object.defineProperty(stream, "refused", { get: () => refused }) as
        & Link
        & { readonly refused: boolean };
    },
  };
}

function namesOf(owner: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${owner}-${i}-`.padEnd(NAME - 64, "n"));
}

async function refusals(): Promise<number> {
  const text = String((await expose()).body);
  return Number(/^mesh_xds_refused_total\{reason="memory"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

Deno.test("a list of new names that does not fit is refused, and counted", async () => {
  await using w = world();
  const before = await refusals();
  const first = await w.ask("10.0.0.1", namesOf("a", 900));
  assert.equal(first.refused, false);
  const second = await w.ask("10.0.0.1", namesOf("b", 600));
  assert.equal(second.refused, true, "half of what the first has is the most");
  const same = await w.ask("10.0.0.1", namesOf("a", 899));
  assert.equal(same.refused, false, "its names are known");
  assert.equal(first.refused, false);
  assert.equal(await refusals(), before + 1);
  for (const stream of [first, second, same]) stream.hangUp();
});

Deno.test("a small list displaces the stream with the most names", async () => {
  await using w = world();
  const large = await w.ask("10.0.0.1", namesOf("a", 900));
  const small = await w.ask("10.0.0.1", namesOf("b", 300));
  assert.equal(small.refused, false);
  await large.call.ended;
  small.hangUp();
});

Deno.test("a client of another address gets its share, and many streams of one address are one party", async () => {
  await using w = world();
  const many = [];
  for (let i = 0; i < 9; i++) many.push(await w.ask("10.0.0.1", namesOf(`a${i}`, 100)));
  const other = await w.ask("10.0.0.2", namesOf("b", 400));
  assert.equal(other.refused, false);
  let ended = 0;
  for (const stream of many) void stream.call.ended.then(() => ended++);
  await eventually("three streams to end", () => ended >= 3);
  assert.equal(ended, 3, "no more than needed");
  for (const stream of [...many, other]) stream.hangUp();
});

Deno.test("names of resources that exist cost nothing", async () => {
  await using w = world();
  const names = namesOf("exists", 600);
  w.inner.set(EDS, Object.fromEntries(names.map((name) => [name, "1"])));
  w.inner.publish();
  const hoarder = await w.ask("10.0.0.1", namesOf("a", 900));
  const proxy = await w.ask("10.0.0.1", ["one"]);
  await w.send(proxy, names);
  assert.equal(proxy.refused, false);
  assert.ok(proxy.fromServer.length >= 2);
  for (const stream of [hoarder, proxy]) stream.hangUp();
});

Deno.test("names that stay when the stream that added them ends are charged to who holds them", async () => {
  await using w = world();
  const hoarded = namesOf("a", 900);
  const first = await w.ask("10.0.0.1", hoarded);
  const second = await w.ask("10.0.0.2", hoarded);
  first.hangUp();
  await first.call.ended;
  const proxy = await w.ask("10.0.0.3", namesOf("b", 300));
  await second.call.ended;
  assert.equal(proxy.refused, false, "another stream ends for them, not the one with few");
  proxy.hangUp();
});

Deno.test("a proxy whose names have resources does not end for another's, though it added more", async () => {
  await using w = world();
  const names = namesOf("exists", 700);
  w.inner.set(EDS, Object.fromEntries(names.map((name) => [name, "1"])));
  w.inner.publish();
  const proxy = await w.ask("10.0.0.1", names);
  const first = await w.ask("10.0.0.2", namesOf("a", 300));
  const second = await w.ask("10.0.0.3", namesOf("b", 200));
  const ended = await Promise.race([
    proxy.call.ended.then(() => "proxy"),
    first.call.ended.then(() => "first"),
  ]);
  assert.equal(ended, "first");
  assert.deepEqual([proxy.refused, second.refused], [false, false]);
  for (const stream of [proxy, second]) stream.hangUp();
});

Deno.test("when all names have resources, only a stream with others ends", async () => {
  await using w = world();
  const names = namesOf("exists", 1100);
  w.inner.set(EDS, Object.fromEntries(names.map((name) => [name, "1"])));
  w.inner.publish();
  const proxies = [];
  for (const part of [names.slice(0, 600), names.slice(600), names]) {
    proxies.push(await w.ask(`10.0.0.${proxies.length}`, part));
  }
  const other = await w.ask("10.0.0.9", namesOf("a", 200));
  await other.call.ended;
  assert.deepEqual(proxies.map(({ refused }) => refused), [false, false, false]);
  await w.send(proxies[0]!, ["one more"]);
  assert.equal(proxies[0]!.refused, false);
  for (const stream of [...proxies, other]) stream.hangUp();
});
