import assert from "node:assert/strict";
import type { DeltaDiscoveryResponse } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { type BindingSource, TYPE_URLS } from "../../model/mod.ts";
import { type Client, world } from "../../../../tests/support/discovery.ts";
import { store } from "../../../../tests/support/resource_store.ts";

const { cluster: CDS } = TYPE_URLS;

Deno.test("a proxy that rebinds to another class is sent nothing before the views of the class are built", async () => {
  const inner = store([CDS]);
  let left = 0;
  const prepare: NonNullable<BindingSource["prepare"]> = () => left === 0 || --left === 0;
  const source = Object.create(inner.source, { prepare: { value: prepare } }) as BindingSource;
  await using w = await world([CDS], {}, {
    store: Object.create(inner, { source: { value: source } }),
  });
  w.set(CDS, { a: "1" }, "one");
  w.set(CDS, { a: "2" }, "two");
  w.publish();
  const proxy = w.delta({ namespace: "one" }) as Client<object, DeltaDiscoveryResponse>;
  proxy.send({ typeUrl: CDS });
  assert.equal((await proxy.take()).resources.length, 1);
  left = 20;
  w.move("one", "two");
  // Changes in the meantime do not make it look earlier.
  w.set(CDS, { b: "3" });
  w.publish();
  const { resources } = await proxy.take();
  assert.equal(left, 0);
  assert.deepEqual(resources.map(({ name }) => name).sort(), ["a", "b"]);
});
