import assert from "node:assert/strict";
import fc from "fast-check";
import { create, encode, fromBinary } from "../../kit/proto/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { NodeSchema } from "#envoy/config/core/v3/base_pb.ts";
import { hasTypeUrl, interceptor } from "./intercept.ts";

const OWN = "type.googleapis.com/mesh.test.Own";
const OTHER = "type.googleapis.com/mesh.test.Way";
const DELTA = "/service/DeltaAggregatedResources";
const SOTW = "/service/StreamAggregatedResources";

interface Recorder {
  readonly updates: (string | undefined)[];
  readonly open: ReturnType<typeof interceptor>;
}

/** A subscription that records updates, and throws on the resource `bad`. */
function recorder(): Recorder {
  const updates: (string | undefined)[] = [];
  const open = interceptor([{
    typeUrl: OWN,
    update: (bytes) => {
      const text = bytes && new TextDecoder().decode(bytes);
      if (text === "bad") throw new Error("cannot be used");
      updates.push(text);
    },
  }]);
  return { updates, open };
}

const any = (value: string) => ({ typeUrl: OWN, value: new TextEncoder().encode(value) });

function delta(value: string | undefined, version: string): Uint8Array {
  return encode(DeltaDiscoveryResponseSchema, {
    typeUrl: OWN,
    nonce: `nonce-${version}`,
    resources: value === undefined ? [] : [{ name: "table", version, resource: any(value) }],
    removedResources: value === undefined ? ["table"] : [],
  });
}

Deno.test("delta: the agent's own resource is used, acknowledged and remembered", () => {
  const { updates, open } = recorder();
  const first = open(DELTA);
  const request = fromBinary(DeltaDiscoveryRequestSchema, first.requests()[0]!);
  assert.deepEqual([request.typeUrl, request.initialResourceVersions], [OWN, {}]);
  const ack = fromBinary(DeltaDiscoveryRequestSchema, first.take(delta("one", "1"))!);
  assert.deepEqual([ack.typeUrl, ack.responseNonce, ack.errorDetail], [OWN, "nonce-1", undefined]);
  const nack = fromBinary(DeltaDiscoveryRequestSchema, first.take(delta("bad", "2"))!);
  assert.equal(nack.errorDetail?.message, "cannot be used");
  const again = fromBinary(DeltaDiscoveryRequestSchema, open(DELTA).requests()[0]!);
  assert.deepEqual(again.initialResourceVersions, { table: "1" }, "a new stream");
  first.take(delta(undefined, "3"));
  assert.deepEqual(updates, ["one", undefined]);
  assert.deepEqual(
    fromBinary(DeltaDiscoveryRequestSchema, open(DELTA).requests()[0]!).initialResourceVersions,
    {},
  );
});

Deno.test("state of the world: likewise", () => {
  const { updates, open } = recorder();
  const stream = open(SOTW);
  const response = (value: string | undefined, versionInfo: string) =>
    encode(DiscoveryResponseSchema, {
      typeUrl: OWN,
      versionInfo,
      nonce: `nonce-${versionInfo}`,
      resources: value === undefined ? [] : [any(value)],
    });
  const answer = (value: string | undefined, version: string) =>
    fromBinary(DiscoveryRequestSchema, stream.take(response(value, version))!);
  assert.equal(answer("one", "1").versionInfo, "1");
  const nack = answer("bad", "2");
  assert.deepEqual([nack.versionInfo, nack.responseNonce], ["1", "nonce-2"]);
  assert.ok(nack.errorDetail);
  assert.equal(answer(undefined, "3").errorDetail, undefined);
  assert.deepEqual(updates, ["one", undefined]);
});

Deno.test("each type reaches its own subscription; only the first request has the node", () => {
  const updates: string[] = [];
  const subscription = (typeUrl: string) => ({ typeUrl, update: () => void updates.push(typeUrl) });
  const open = interceptor([subscription(OWN), subscription(OTHER)]);
  for (const path of [DELTA, SOTW]) {
    const schema = path === DELTA ? DeltaDiscoveryRequestSchema : DiscoveryRequestSchema;
    const stream = open(path);
    const node = create(NodeSchema, { id: "sidecar~127.0.0.1~a.b~b.svc.cluster.local" });
    const requests = stream.requests(node).map((bytes) => fromBinary(schema, bytes));
    assert.deepEqual(requests.map(({ typeUrl }) => typeUrl), [OWN, OTHER]);
    assert.deepEqual(requests.map(({ node }) => node !== undefined), [true, false]);
    for (const typeUrl of [OTHER, OWN]) {
      const response = path === DELTA
        ? encode(DeltaDiscoveryResponseSchema, { typeUrl, resources: [{ name: "a" }] })
        : encode(DiscoveryResponseSchema, { typeUrl });
      assert.ok(stream.take(response));
    }
  }
  assert.deepEqual(updates, [OTHER, OWN, OTHER, OWN]);
});

Deno.test("responses of other types are left to the proxy", () => {
  const { updates, open } = recorder();
  for (const path of [DELTA, SOTW]) {
    const schema = path === DELTA ? DeltaDiscoveryResponseSchema : DiscoveryResponseSchema;
    for (const typeUrl of [OTHER, "", `${OWN}x`]) {
      assert.equal(open(path).take(encode(schema, { typeUrl, nonce: OWN })), undefined);
    }
  }
  assert.deepEqual(updates, []);
});

Deno.test("any bytes are scanned without an exception", () => {
  const own = new TextEncoder().encode(OWN);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
    hasTypeUrl(bytes, own);
  }));
  assert.ok(!hasTypeUrl(new Uint8Array(1000).fill(0xff), own));
  assert.ok(hasTypeUrl(delta("x".repeat(100_000), "1"), own));
});
