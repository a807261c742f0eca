/**
 * Load tests: short-lived connections, a restart, many edits. Other clients are served meanwhile,
 * all clients have the final state afterwards, and memory returns to its level.
 *
 * @module
 */
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Client, nodeOf, type World, world } from "../../../../tests/support/discovery.ts";
import { encode } from "../../../kit/proto/mod.ts";
import type { RpcStream } from "../../../kit/rpc/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { createDebouncer } from "../../ingest/mod.ts";
import { TYPE_URLS } from "../../model/mod.ts";

const { cluster: CDS } = TYPE_URLS;

/**
 * Number of clients that reconnect at once. The benchmark has more; two cores run other tests at
 * the same time.
 */
const RETURNING = Number(Deno.env.get("STORM_CLIENTS") ?? 300);

/** Heap in use once the garbage is collected, MiB. */
function heap(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  return Deno.memoryUsage().heapUsed / (1 << 20);
}

type Delta = Client<object, DeltaDiscoveryResponse>;

/** Follows clusters until they are as the store has them. */
async function holds(w: World, proxy: Delta, names: number, last: string): Promise<number> {
  const held = new Map<string, string>();
  let responses = 0;
  const text = new TextDecoder();
  while (held.size < names || held.get("c0") !== last) {
    const { resources, removedResources } = await proxy.take();
    responses++;
    for (const { name, resource } of resources) held.set(name, text.decode(resource!.value));
    for (const name of removedResources) held.delete(name);
  }
  const view = w.xds.sessions()[0]!.view(CDS)!;
  assert.equal(held.size, view.size);
  for (const { name, bytes } of view.entries()) assert.equal(held.get(name), text.decode(bytes));
  return responses;
}

Deno.test("1,000 clients that connect and drop leave nothing behind, and another is served meanwhile", async () => {
  await using w = await world([CDS]);
  w.set(CDS, Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`c${i}`, "x".repeat(500)])));
  w.publish();
  const steady = w.delta({ name: "steady" }) as Delta;
  steady.send({ typeUrl: CDS });
  await steady.take();
  const burst = async (count: number) => {
    for (let done = 0; done < count; done += 50) {
      const streams: RpcStream[] = [];
      for (let i = 0; i < 50; i++) {
        const stream = w.raw("Delta");
        const node = nodeOf({ name: `drop-${i}` });
        stream.send(encode(DeltaDiscoveryRequestSchema, { typeUrl: CDS, node }));
        // Some end before they are admitted, some while they are sent responses.
        if (i % 2 === 0) await Promise.race([stream.messages[Symbol.asyncIterator]().next()]);
        stream.close();
        streams.push(stream);
      }
      await Promise.all(streams.map((stream) => stream.ended));
    }
    await w.until(() => w.xds.size === 1);
  };
  await burst(200);
  const before = heap();
  await burst(1000);
  w.set(CDS, { c1: "changed" });
  w.publish();
  assert.deepEqual((await steady.take()).resources.map(({ name }) => name), ["c1"]);
  assert.equal(w.bindings, 1);
  const grown = heap() - before;
  assert.ok(grown < 3, `${grown.toFixed(1)} MiB more than before`);
  steady.close();
});

Deno.test(`${RETURNING} clients that come back at once after a restart are all served, and sent what differs`, async () => {
  const first = await world([CDS]);
  const contents = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`c${i}`, `${i}`]));
  first.set(CDS, contents);
  first.publish();
  const { port } = first.rpc;
  const before = Array.from({ length: RETURNING }, (_, i) => first.delta({ name: `p${i}` }));
  for (const proxy of before) proxy.send({ typeUrl: CDS });
  const versions = Object.fromEntries(
    (await before[0]!.take()).resources.map(({ name, version }) => [name, version]),
  );
  await first[Symbol.asyncDispose]();
  await Promise.allSettled(before.map((proxy) => proxy.stream.ended));

  await using w = await world([CDS], {}, { port });
  w.set(CDS, { ...contents, c3: "changed while away" });
  w.publish();
  const level = heap();
  await comeBack(w, versions);
  await w.until(() => w.xds.size === 0);
  assert.equal(w.bindings, 0);
  const grown = heap() - level;
  assert.ok(grown < 8, `${grown.toFixed(1)} MiB more than before`);
});

/** All connect at once with the same versions, get the changes, and disconnect. */
async function comeBack(w: World, versions: Readonly<Record<string, string>>): Promise<void> {
  const clients = Array.from({ length: RETURNING }, (_, i) => w.delta({ name: `p${i}` }));
  for (const proxy of clients) proxy.send({ typeUrl: CDS, initialResourceVersions: versions });
  for (const proxy of clients) {
    const { resources } = await proxy.take();
    assert.deepEqual(resources.map(({ name }) => name), ["c3"], "what differs, and no more");
  }
  assert.equal(w.xds.size, RETURNING);
  for (const proxy of clients) proxy.close();
  await Promise.all(clients.map((proxy) => proxy.stream.ended));
}

Deno.test("a storm of 10,000 edits is sent as few pushes, the latest wins, and memory returns", async () => {
  await using w = await world([CDS]);
  const clients = Array.from({ length: 10 }, (_, i) => w.delta({ name: `p${i}` }) as Delta);
  w.set(CDS, Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`c${i}`, "0"])));
  w.publish();
  for (const proxy of clients) {
    proxy.send({ typeUrl: CDS });
    await proxy.take();
  }
  const debouncer = createDebouncer({
    after: 20,
    max: 200,
    endpointsWait: true,
    now: () => performance.now(),
    timer: (run, ms) => {
      const id = setTimeout(run, ms);
      return () => clearTimeout(id);
    },
    publish: () => w.publish(),
  });
  const storm = async (tag: string) => {
    const all = clients.map((proxy) => holds(w, proxy, 200, `${tag} last`));
    for (let i = 0; i < 10_000; i++) {
      w.set(CDS, { [`c${i % 200}`]: `${tag} ${i}` });
      debouncer.changedAt(performance.now(), ["config"], false);
      if (i % 500 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    }
    w.set(CDS, Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`c${i}`, `${tag} last`])));
    debouncer.changedAt(performance.now(), ["config"], false);
    return await Promise.all(all);
  };
  await storm("first");
  const before = heap();
  const responses = await storm("second");
  for (const count of responses) assert.ok(count <= 30, `${count} responses for 10,000 edits`);
  const grown = heap() - before;
  assert.ok(grown < 6, `${grown.toFixed(1)} MiB more than before`);
  for (const proxy of clients) proxy.close();
});
