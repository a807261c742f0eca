import assert from "node:assert/strict";
import { encode } from "../../../kit/proto/mod.ts";
import { openStream, RpcError } from "../../../kit/rpc/mod.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { type World, world } from "../../../../tests/support/discovery.ts";
import { PROXY_STATE_METHOD, PROXY_STATE_TYPE_URL, TYPE_URLS } from "../../model/mod.ts";
import type { StateEvent } from "./observe.ts";

/** A server that notes what is reported, and lets only proxies of namespace `shop` in. */
async function noting() {
  const events: StateEvent[] = [];
  const w = await world([TYPE_URLS.cluster], {}, {
    observers: [{ reportedState: (event) => void events.push(event) }],
    options: {
      authorize: (_, { namespace }) =>
        namespace === "shop"
          ? Promise.resolve({ identity: "spiffe://cluster.local/ns/shop/sa/web" })
          : Promise.reject(new RpcError("PERMISSION_DENIED", "another namespace")),
    },
  });
  return { w, events };
}

/** Sends a report without a stream of the proxy, and waits for the end of the call. */
async function report({ rpc }: World, namespace: string, typeUrl = PROXY_STATE_TYPE_URL) {
  const call = openStream({ target: rpc.address, path: PROXY_STATE_METHOD });
  call.send(encode(DeltaDiscoveryRequestSchema, {
    node: { id: `sidecar~10.0.0.1~web.${namespace}~${namespace}.svc.cluster.local` },
    typeUrl,
    errorDetail: { message: "the state" },
  }));
  call.end();
  for await (const _ of call.messages);
}

Deno.test("a report on a stream is passed on, and is neither a subscription nor a rejection", async () => {
  const { w, events } = await noting();
  await using _ = w;
  for (const client of [w.delta({ namespace: "shop" }), w.sotw({ namespace: "shop" })]) {
    client.send({ typeUrl: TYPE_URLS.cluster });
    await client.take();
    client.send({ typeUrl: PROXY_STATE_TYPE_URL, errorDetail: { message: "the state" } });
    await w.until(() => events.length > 0);
    const [{ stream, node, text }] = events.splice(0) as [StateEvent];
    assert.deepEqual([text, node.namespace, stream?.node], ["the state", "shop", node]);
    assert.equal((await client.quiet()).length, 0);
  }
  const types = w.xds.sessions().flatMap((one) => one.types.map(({ typeUrl }) => typeUrl));
  assert.ok(!types.includes(PROXY_STATE_TYPE_URL));
  assert.ok(w.xds.sessions().every((one) => one.types.every(({ nack }) => nack === undefined)));
});

Deno.test("a report without a stream needs the identity of the proxy, and connects none", async () => {
  const { w, events } = await noting();
  await using _ = w;
  await report(w, "shop");
  assert.deepEqual(events.map(({ text, stream, node }) => [text, stream, node.name]), [
    ["the state", undefined, "web"],
  ]);
  assert.equal(w.xds.size, 0);
  await assert.rejects(report(w, "other"), { status: "PERMISSION_DENIED" });
  await assert.rejects(report(w, "shop", TYPE_URLS.cluster), { status: "INVALID_ARGUMENT" });
  assert.equal(events.length, 1);
});
