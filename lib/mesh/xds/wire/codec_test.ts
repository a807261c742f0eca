/**
 * The hand-written codec of requests and responses against the general one.
 *
 * @module
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { encode, fromBinary } from "../../../kit/proto/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { nameListCache } from "./name_list_cache.ts";
import { decodeRequest } from "./request.ts";
import { responseEncoder } from "./response.ts";
import { concat, delimited } from "./protobuf.ts";

const LIMITS = { maxNode: 1000, maxName: 500, maxNames: 100 };
const text = fc.string({ maxLength: 200, unit: "grapheme" });
const texts = fc.array(text, { maxLength: 10 });

Deno.test("a delta request decodes as the schema says", () => {
  const versions = fc.dictionary(text, text, { maxKeys: 10, noNullPrototype: true });
  fc.assert(
    fc.property(
      fc.tuple(text, text),
      texts,
      texts,
      versions,
      ([typeUrl, nonce], names, unsubscribe, held) => {
        const request = decodeRequest(
          encode(DeltaDiscoveryRequestSchema, {
            typeUrl: typeUrl.slice(0, 50),
            resourceNamesSubscribe: names,
            resourceNamesUnsubscribe: unsubscribe,
            initialResourceVersions: held,
            responseNonce: nonce,
            errorDetail: { code: 13, message: nonce },
          }),
          "delta",
          LIMITS,
        );
        assert.equal(request.typeUrl, typeUrl.slice(0, 50));
        assert.deepEqual(request.names, names);
        assert.deepEqual(request.unsubscribe, unsubscribe);
        assert.equal(request.nonce, nonce);
        assert.deepEqual(request.error, { code: 13, message: nonce });
        assert.deepEqual([...request.versions?.names() ?? []].sort(), Object.keys(held).sort());
        for (const [name, version] of Object.entries(held)) {
          // Versions are generated here, in ASCII; other text never equals one of them.
          const ascii = /^[\x20-\x7e]*$/.test(version);
          if (ascii) assert.ok(request.versions!.has(name, version), name);
          assert.ok(!request.versions!.has(name, `${version}x`));
        }
      },
    ),
  );
});

Deno.test("lists that were read before are shared; what differs is read anew, bounds hold for both", () => {
  const roomy = { ...LIMITS, maxNames: 10_000 };
  let now = 0;
  const lists = nameListCache(() => now);
  const names = Array.from({ length: 1200 }, (_, i) => `outbound|80||service-${i}.example`);
  const versions = Object.fromEntries(names.map((name) => [name, `v-${name}`]));
  const request = (typeUrl: string, more: object = {}) =>
    encode(DeltaDiscoveryRequestSchema, {
      typeUrl,
      node: { id: typeUrl },
      resourceNamesSubscribe: names,
      initialResourceVersions: versions,
      responseNonce: `nonce of ${typeUrl}`,
      ...more,
    });
  const first = decodeRequest(request("one"), "delta", roomy, lists);
  const second = decodeRequest(request("two"), "delta", roomy, lists);
  assert.equal(second.names, first.names);
  assert.deepEqual(second.versions!.checksum, first.versions!.checksum);
  assert.deepEqual([second.typeUrl, second.nonce], ["two", "nonce of two"]);
  assert.equal(new TextDecoder().decode(second.node).includes("two"), true);
  const other = decodeRequest(
    request("one", { initialResourceVersions: { ...versions, [names[7]!]: "other" } }),
    "delta",
    roomy,
    lists,
  );
  assert.equal(other.versions!.has(names[7]!, "other"), true);
  assert.equal(first.versions!.has(names[7]!, "other"), false);
  const plain = decodeRequest(request("one"), "delta", roomy);
  assert.deepEqual(plain.names, first.names);
  assert.ok(lists.bytes > 40_000);
  for (let i = 0; i < 900; i++) {
    const more = { resourceNamesSubscribe: [...names, `extra-${i}`] };
    decodeRequest(request("one", more), "delta", roomy, lists);
  }
  assert.ok(lists.bytes <= 32 * 1024 * 1024, "what is kept is bounded");
  assert.notEqual(decodeRequest(request("one"), "delta", roomy, lists).names, first.names);
  now = 11_000;
  lists.trim();
  assert.equal(lists.bytes, 0, "what is not met again is forgotten");
});

Deno.test("a SotW request decodes as the schema says", () => {
  const request = decodeRequest(
    encode(DiscoveryRequestSchema, {
      versionInfo: "7",
      node: { id: "sidecar~1.2.3.4~a.b~c" },
      resourceNames: ["a", "ü"],
      typeUrl: "type",
      responseNonce: "nonce",
    }),
    "sotw",
    LIMITS,
  );
  assert.deepEqual(request.names, ["a", "ü"]);
  assert.equal(request.typeUrl, "type");
  assert.equal(request.nonce, "nonce");
  assert.equal(request.error, undefined);
  assert.equal(request.versions, undefined);
  assert.deepEqual(request.node, delimited(1, "sidecar~1.2.3.4~a.b~c"));
});

Deno.test("version entries are understood however they are written, and bounded", () => {
  const entry = (...parts: Uint8Array[]) => delimited(5, concat(...parts));
  const read = (bytes: Uint8Array) => decodeRequest(bytes, "delta", LIMITS).versions!;
  assert.ok(read(entry(delimited(2, "v"), delimited(1, "n"))).has("n", "v"), "turned round");
  assert.ok(read(entry(delimited(1, "n"), delimited(2, "v"), delimited(9, "?"))).has("n", "v"));
  assert.ok(read(entry(delimited(1, "n"))).has("n", ""), "no version");
  assert.ok(!read(entry(delimited(1, "n"), delimited(2, "v"))).has("other", "v"));
  assert.throws(() => read(entry(delimited(1, "n".repeat(501)))), { status: "RESOURCE_EXHAUSTED" });
  assert.throws(() => read(entry(Uint8Array.of(10, 99, 1))), { code: "wire-malformed" });
  const many = Array.from({ length: 101 }, (_, i) => entry(delimited(1, `${i}`)));
  assert.throws(() => read(concat(...many)), { status: "RESOURCE_EXHAUSTED" });
});

Deno.test("responses are what the schema says, field for field", () => {
  const resource = fc.record({
    name: text,
    version: fc.string({ maxLength: 30 }),
    bytes: fc.uint8Array({ maxLength: 300 }),
  }, { noNullPrototype: true });
  fc.assert(
    fc.property(fc.array(resource, { maxLength: 40 }), texts, text, (resources, removed, nonce) => {
      const response = { resources, removed, nonce, version: "42" };
      const delta = fromBinary(
        DeltaDiscoveryResponseSchema,
        concat(...responseEncoder({ url: "type.url/T" }, "delta", "me").encode(response)),
      );
      assert.equal(delta.$unknown, undefined);
      assert.equal(delta.typeUrl, "type.url/T");
      assert.equal(delta.nonce, nonce);
      assert.equal(delta.systemVersionInfo, "42");
      assert.equal(delta.controlPlane?.identifier, "me");
      assert.deepEqual(delta.removedResources, removed);
      assert.deepEqual(
        delta.resources.map(({ name, version, resource }) => ({
          name,
          version,
          bytes: new Uint8Array(resource!.value),
        })),
        resources,
      );
      const sotw = fromBinary(
        DiscoveryResponseSchema,
        concat(
          ...responseEncoder({ url: "type.url/T" }, "sotw", "me").encode({
            ...response,
            removed: [],
          }),
        ),
      );
      assert.equal(sotw.$unknown, undefined);
      assert.equal(sotw.versionInfo, "42");
      assert.equal(sotw.nonce, nonce);
      assert.equal(sotw.controlPlane?.identifier, "me");
      assert.deepEqual(
        sotw.resources.map(({ typeUrl, value }) => [typeUrl, new Uint8Array(value)]),
        resources.map(({ bytes }) => ["type.url/T", bytes]),
      );
    }),
  );
});
