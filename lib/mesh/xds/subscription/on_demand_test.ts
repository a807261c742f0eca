import assert from "node:assert/strict";
import { hash } from "../../../kit/base/mod.ts";
import type { DeltaDiscoveryResponse } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { type BindingSource, TYPE_URLS } from "../../model/mod.ts";
import { type World, world } from "../../../../tests/support/discovery.ts";
import { store } from "../../../../tests/support/resource_store.ts";
import { LearnedScopes } from "../learned/mod.ts";
import { wireVersion } from "../wire/wire_version.ts";

const { cluster: CDS } = TYPE_URLS;

/** The version of a content in responses. */
const wire = (content: string): string => wireVersion({ version: hash(content) });

/** Sent and removed names of a response. */
function shown(response: DeltaDiscoveryResponse): string {
  return [
    ...response.resources.map((r) => `+${r.name}`).sort(),
    ...response.removedResources.map((name) => `-${name}`).sort(),
  ].join(" ");
}

/** A server with clusters of its own and three that are there for who names them. */
async function start(): Promise<World> {
  const inner = store([CDS]);
  const source: BindingSource = {
    bind: (node, onRebind) => {
      const binding = inner.source.bind(node, onRebind);
      return {
        get classKey() {
          return binding.classKey;
        },
        view: binding.view,
        close: binding.close,
        onDemand: () => ({ withheld: (name) => name.startsWith("out/") }),
      };
    },
    onPublish: inner.source.onPublish,
    get revision() {
      return inner.source.revision;
    },
  };
  inner.set(CDS, { own: "1", "out/a": "1", "out/b": "1", "out/c": "1" });
  inner.publish();
  return await world([CDS], {}, { store: Object.create(inner, { source: { value: source } }) });
}

Deno.test("a wildcard client is sent on-demand resources only after it names them", async () => {
  await using w = await start();
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS });
  assert.equal(shown(await proxy.take()), "+own");
  proxy.send({ typeUrl: CDS, resourceNamesSubscribe: ["out/a", "out/ghost"] });
  assert.equal(shown(await proxy.take()), "+out/a -out/ghost");
  w.set(CDS, { "out/a": "2", "out/b": "2", own: "2" });
  w.publish();
  assert.equal(shown(await proxy.take()), "+out/a +own");
  w.set(CDS, { "out/a": undefined, "out/b": undefined });
  w.publish();
  assert.equal(shown(await proxy.take()), "-out/a");
  proxy.send({ typeUrl: CDS, resourceNamesSubscribe: ["out/c"] });
  assert.equal(shown(await proxy.take()), "+out/c");
  proxy.send({ typeUrl: CDS, resourceNamesUnsubscribe: ["out/c"] });
  assert.deepEqual(await proxy.quiet(), []);
  w.set(CDS, { "out/c": "3" });
  w.publish();
  assert.deepEqual(await proxy.quiet(), [], "it is not kept up to date about what it gave up");
  proxy.close();
});

Deno.test("a reconnected client keeps the resources that it names, and the others are removed", async () => {
  await using w = await start();
  const proxy = w.delta();
  const initialResourceVersions = { own: wire("1"), "out/a": wire("1"), "out/b": wire("1") };
  proxy.send({ typeUrl: CDS, resourceNamesSubscribe: ["*", "out/a"], initialResourceVersions });
  assert.equal(shown(await proxy.take()), "-out/b");
  proxy.close();
});

const { route: RDS, virtualHost: HOSTS } = TYPE_URLS;

/** A server whose virtual hosts are made when a client asks for them, at most two, in a store. */
async function startMaking() {
  const inner = store([RDS, HOSTS]);
  const source: BindingSource = {
    bind: (node, onRebind) => {
      const binding = inner.source.bind(node, onRebind);
      return {
        classKey: binding.classKey,
        view: binding.view,
        close: binding.close,
        onDemand: (typeUrl) =>
          typeUrl === HOSTS
            ? {
              withheld: () => true,
              sharers: { workload: node.namespace, owner: `${node.namespace}/a` },
              refusal: (name) => ({ name, version: hash("refused"), bytes: new Uint8Array(1) }),
            }
            : undefined,
      };
    },
    onPublish: inner.source.onPublish,
    get revision() {
      return inner.source.revision;
    },
  };
  inner.set(RDS, { "80": "1" });
  inner.publish();
  const time = { now: 0 };
  const making = { paused: false };
  const made: string[] = [];
  const make = () => {
    inner.set(HOSTS, Object.fromEntries(made.splice(0).map((name) => [name, `of ${name}`])));
    inner.publish();
  };
  const learned = new LearnedScopes({
    clock: () => time.now,
    keepMs: 100,
    most: 2,
    write: (names) => {
      made.push(...names.map(({ name }) => name));
      if (!making.paused) make();
    },
  });
  const over = { store: Object.create(inner, { source: { value: source } }), options: { learned } };
  return { world: await world([RDS, HOSTS], {}, over), making, make };
}

/** A client that has the route table and waits for virtual hosts. */
async function client(w: World, initialResourceVersions: Record<string, string> = {}) {
  const proxy = w.delta();
  proxy.send({ typeUrl: RDS, resourceNamesSubscribe: ["80"] });
  await proxy.take();
  const names = Object.keys(initialResourceVersions);
  proxy.send({
    typeUrl: HOSTS,
    ...names.length > 0 && { resourceNamesSubscribe: ["*", ...names], initialResourceVersions },
  });
  return proxy;
}

Deno.test("a resource is made when it is asked for, and sent to later clients at the first sync", async () => {
  const { world: w } = await startMaking();
  await using _ = w;
  const first = await client(w);
  assert.equal(shown(await first.take()), "-80/", "the table has none yet");
  first.send({ typeUrl: HOSTS, resourceNamesSubscribe: ["80/a"] });
  assert.equal(shown(await first.take()), "+80/a");
  const second = await client(w);
  assert.equal(shown(await second.take()), "+80/a");
  second.send({ typeUrl: HOSTS, resourceNamesSubscribe: ["80/b"] });
  assert.equal(shown(await second.take()), "+80/b");
  assert.deepEqual(await first.quiet(), [], "others are not sent what one asked for");
  first.close();
  second.close();
});

Deno.test("a resource that is not made yet is not absent; it is sent when it is there", async () => {
  const { world: w, making, make } = await startMaking();
  await using _ = w;
  const proxy = await client(w);
  await proxy.take();
  making.paused = true;
  proxy.send({ typeUrl: HOSTS, resourceNamesSubscribe: ["80/a"] });
  assert.deepEqual(await proxy.quiet(), []);
  make();
  assert.equal(shown(await proxy.take()), "+80/a");
  proxy.close();
});

Deno.test("names beyond the bound are refused with an answer", async () => {
  const { world: w } = await startMaking();
  await using _ = w;
  const proxy = await client(w);
  await proxy.take();
  proxy.send({ typeUrl: HOSTS, resourceNamesSubscribe: ["80/a", "80/b", "80/c"] });
  const response = await proxy.take();
  assert.equal(shown(response), "+80/a +80/b +80/c");
  const refused = response.resources.find(({ name }) => name === "80/c");
  assert.equal(refused?.version, wireVersion({ version: hash("refused") }));
  proxy.close();
});

Deno.test("a client that reconnects is sent what differs of what it asked for, and keeps the rest", async () => {
  const { world: w } = await startMaking();
  await using _ = w;
  const proxy = await client(w, { "80/a": wire("of 80/a"), "80/b": wire("old") });
  assert.equal(shown(await proxy.take()), "+80/a +80/b", "the table is new to the stream");
  assert.deepEqual(await proxy.quiet(), []);
  proxy.close();
});
