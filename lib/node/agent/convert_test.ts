import assert from "node:assert/strict";
import { encode, fromBinary } from "../../kit/proto/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { conversionOf, type ResourceConverter, type StreamConversion } from "./convert.ts";

const TYPE = "type.googleapis.com/test.Converted";
const DELTA = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
const SOTW = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (value: Uint8Array | undefined) => new TextDecoder().decode(value);

/** Writes resources in capitals; `bad` cannot be converted. */
const CAPITALS: ResourceConverter = {
  typeUrl: TYPE,
  convert: (value) =>
    text(value) === "bad"
      ? Promise.reject(new Error("it is bad"))
      : Promise.resolve(bytes(text(value).toUpperCase())),
};

async function converted(stream: StreamConversion, message: Uint8Array): Promise<Uint8Array> {
  const conversion = await stream.response(message);
  assert.equal(conversion?.to, "proxy");
  return conversion.message;
}

async function rejected(stream: StreamConversion, message: Uint8Array): Promise<Uint8Array> {
  const conversion = await stream.response(message);
  assert.equal(conversion?.to, "daemon");
  return conversion.message;
}

Deno.test("responses of other types are not converted", () => {
  for (const path of [DELTA, SOTW]) {
    const other = encode(DiscoveryResponseSchema, { typeUrl: `${TYPE}s`, nonce: "1" });
    assert.equal(conversionOf(CAPITALS, path).response(other), undefined);
  }
});

function deltaResponse(...values: string[]): Uint8Array {
  return encode(DeltaDiscoveryResponseSchema, {
    typeUrl: TYPE,
    nonce: "n1",
    resources: values.map((value) => ({
      name: value,
      version: "1",
      resource: { typeUrl: TYPE, value: bytes(value) },
    })),
    removedResources: ["gone"],
  });
}

Deno.test("delta: resources are converted; a failed conversion is a NACK", async () => {
  const stream = conversionOf(CAPITALS, DELTA);
  const response = fromBinary(
    DeltaDiscoveryResponseSchema,
    await converted(stream, deltaResponse("a", "b")),
  );
  assert.deepEqual(response.resources.map(({ resource }) => text(resource?.value)), ["A", "B"]);
  assert.deepEqual([response.nonce, response.removedResources], ["n1", ["gone"]]);
  const nack = fromBinary(
    DeltaDiscoveryRequestSchema,
    await rejected(stream, deltaResponse("a", "bad")),
  );
  assert.deepEqual([nack.typeUrl, nack.responseNonce], [TYPE, "n1"]);
  assert.match(nack.errorDetail?.message ?? "", /it is bad/);
});

Deno.test("state of the world: a NACK repeats the names and version of the proxy's last request", async () => {
  const stream = conversionOf(CAPITALS, SOTW);
  const names = ["a", "b"];
  stream.request(
    encode(DiscoveryRequestSchema, { typeUrl: TYPE, versionInfo: "4", resourceNames: names }),
  );
  stream.request(encode(DiscoveryRequestSchema, { typeUrl: "other", resourceNames: ["c"] }));
  const responseOf = (value: string) =>
    encode(DiscoveryResponseSchema, {
      typeUrl: TYPE,
      versionInfo: "5",
      nonce: "n2",
      resources: [{ typeUrl: TYPE, value: bytes(value) }],
    });
  const response = fromBinary(DiscoveryResponseSchema, await converted(stream, responseOf("a")));
  assert.deepEqual(response.resources.map(({ value }) => text(value)), ["A"]);
  const nack = fromBinary(DiscoveryRequestSchema, await rejected(stream, responseOf("bad")));
  assert.deepEqual(
    [nack.versionInfo, nack.resourceNames, nack.responseNonce, nack.typeUrl],
    ["4", names, "n2", TYPE],
  );
  assert.match(nack.errorDetail?.message ?? "", /it is bad/);
});
