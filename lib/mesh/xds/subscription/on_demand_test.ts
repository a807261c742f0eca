import assert from "node:assert/strict";
import { hash } from "../../../kit/base/mod.ts";
import type { DeltaDiscoveryResponse } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { type BindingSource, TYPE_URLS } from "../../model/mod.ts";
import { type World, world } from "../../../../tests/support/discovery.ts";
import { store } from "../../../../tests/support/resource_store.ts";
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
