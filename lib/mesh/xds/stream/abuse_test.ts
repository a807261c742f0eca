import assert from "node:assert/strict";
import { encode, fromBinary } from "../../../kit/proto/mod.ts";
import { RpcError, type RpcStatus, type RpcStream } from "../../../kit/rpc/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { expose } from "../../../kit/metrics/mod.ts";
import { nodeOf, world } from "../../../../tests/support/discovery.ts";
import { concat, delimited } from "../wire/protobuf.ts";
import { TYPE_URLS } from "../../model/mod.ts";

const { cluster: CDS, endpoint: EDS } = TYPE_URLS;

async function failure(stream: RpcStream): Promise<RpcError> {
  try {
    for await (const _ of stream.messages);
  } catch (error) {
    assert.ok(error instanceof RpcError);
    return error;
  } finally {
    await stream.ended;
  }
  throw new Error("the stream ended with OK");
}

function request(node: object | undefined, more: object = {}): Uint8Array {
  return encode(DeltaDiscoveryRequestSchema, { typeUrl: CDS, ...(node && { node }), ...more });
}

/** A node whose metadata is a Struct in a Value in a Struct …, encoded from the inside out. */
function deepNode(depth: number): Uint8Array {
  const out = new Uint8Array(depth * 16 + 16);
  let at = out.length;
  const wrap = (...tags: number[]) => {
    for (const tag of tags) {
      const size = out.length - at;
      const head = [tag];
      for (let rest = size; rest > 0; rest >>>= 7) head.push((rest & 127) | (rest > 127 ? 128 : 0));
      at -= head.length;
      out.set(head, at);
    }
  };
  // Value.bool_value, then for each level: map entry value, Struct.fields, Value.struct_value.
  at -= 2;
  out.set([32, 1], at);
  for (let i = 0; i < depth; i++) wrap(18, 10, 42);
  wrap(18, 10, 26);
  return out.subarray(at);
}

Deno.test("streams that begin wrongly are refused with a reason, and the server goes on", async () => {
  await using w = await world([CDS]);
  const id = nodeOf({}).id;
  const cases: { name: string; bytes: Uint8Array; status: RpcStatus; details: RegExp }[] = [
    {
      name: "garbage",
      bytes: new Uint8Array([255, 255, 255]),
      status: "INVALID_ARGUMENT",
      details: /protocol buffer/,
    },
    {
      name: "no node",
      bytes: request(undefined),
      status: "INVALID_ARGUMENT",
      details: /must carry the node/,
    },
    { name: "no id", bytes: request({}), status: "INVALID_ARGUMENT", details: /no id/ },
    {
      name: "id of three parts",
      bytes: request({ id: "sidecar~10.0.0.1~a.b" }),
      status: "INVALID_ARGUMENT",
      details: /type~ip~name\.namespace~dnsDomain/,
    },
    {
      name: "unknown role",
      bytes: request({ id: "pirate~10.0.0.1~a.b~c" }),
      status: "INVALID_ARGUMENT",
      details: /sidecar, router, waypoint or ztunnel/,
    },
    {
      name: "a role that is not served",
      bytes: request({ id: "agentgateway~10.0.0.1~a.b~c" }),
      status: "UNIMPLEMENTED",
      details: /"agentgateway" are not served/,
    },
    {
      name: "no namespace",
      bytes: request({ id: "sidecar~10.0.0.1~a~c" }),
      status: "INVALID_ARGUMENT",
      details: /name\.namespace/,
    },
    {
      name: "no address",
      bytes: request({ id: "sidecar~here~a.b~c" }),
      status: "INVALID_ARGUMENT",
      details: /no valid IP/,
    },
    {
      name: "no type",
      bytes: request({ id }, { typeUrl: "" }),
      status: "INVALID_ARGUMENT",
      details: /no type/,
    },
    {
      name: "a node of 5 MB",
      bytes: request({ id, metadata: { LARGE: "x".repeat(5 << 20) } }),
      status: "RESOURCE_EXHAUSTED",
      details: /limit of 1048576/,
    },
    {
      name: "a name of 3 KB",
      bytes: request({ id }, { resourceNamesSubscribe: ["n".repeat(3000)] }),
      status: "RESOURCE_EXHAUSTED",
      details: /longer than 2048/,
    },
  ];
  for (const { name, bytes, status, details } of cases) {
    const stream = w.raw("Delta");
    stream.send(bytes);
    const error = await failure(stream);
    assert.equal(error.status, status, name);
    assert.match(error.details, details, name);
  }
  assert.equal(w.xds.size, 0);
  assert.equal(w.bindings, 0);
  const good = w.delta();
  good.send({ typeUrl: CDS });
  await good.take();
  good.close();
});

Deno.test("metadata nested without end neither crashes the server nor passes", async () => {
  await using w = await world([CDS]);
  const node = deepNode(40_000);
  const head = encode(DeltaDiscoveryRequestSchema, { typeUrl: CDS });
  const stream = w.raw("Delta");
  stream.send(concat(head, delimited(1, node)));
  const error = await failure(stream);
  assert.equal(error.status, "INVALID_ARGUMENT");
  assert.match(error.details, /cannot be decoded/);
});

Deno.test("garbage in mid-stream ends that stream and leaves nothing behind", async () => {
  await using w = await world([CDS, EDS]);
  const proxy = w.delta();
  proxy.send({ typeUrl: EDS, resourceNamesSubscribe: ["a"] });
  await proxy.next();
  assert.equal(w.bindings, 1);
  proxy.stream.send(new Uint8Array([7, 7, 7, 7]));
  await assert.rejects(proxy.next(), { status: "INVALID_ARGUMENT" });
  await proxy.stream.ended;
  await until(() => w.xds.size === 0);
  assert.equal(w.bindings, 0);
});

/** Waits for a condition that needs no input of ours, turn by turn of the event loop. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 0));
}

Deno.test("an unknown type is answered once with an empty response, and its names as missing", async () => {
  await using w = await world([CDS]);
  const typeUrl = "type.googleapis.com/nobody.serves.This";
  const proxy = w.delta();
  proxy.send({ typeUrl, resourceNamesSubscribe: ["x"] });
  const response = await proxy.take();
  assert.equal(response.typeUrl, typeUrl);
  assert.deepEqual(response.removedResources, ["x"]);
  assert.deepEqual(await proxy.quiet(), []);
  proxy.close();
});

Deno.test("a stream with too many types is refused", async () => {
  await using w = await world([CDS], { maxTypes: 3 });
  const proxy = w.delta();
  for (let i = 0; i < 4; i++) proxy.send({ typeUrl: `type.googleapis.com/T${i}` });
  const error = await failure(proxy.stream);
  assert.equal(error.status, "RESOURCE_EXHAUSTED");
});

Deno.test("10,000 names one by one are served; names beyond the limit are not", async () => {
  await using w = await world([EDS], { maxNames: 10_001 });
  w.set(EDS, Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`n${i}`, `${i}`])));
  w.publish();
  const proxy = w.delta();
  for (let i = 0; i < 10_000; i++) {
    proxy.send({ typeUrl: EDS, resourceNamesSubscribe: [`n${i}`] });
    if (proxy.stream.pending > 100_000) await proxy.stream.drained();
  }
  const seen = new Set<string>();
  while (seen.size < 10_000) {
    for (const { name } of (await proxy.take()).resources) seen.add(name);
  }
  assert.equal(w.xds.sessions()[0]!.types[0]!.names.length, 10_000);
  w.set(EDS, { n77: "changed" });
  w.publish();
  assert.deepEqual((await proxy.take()).resources.map((r) => r.name), ["n77"]);
  proxy.send({ typeUrl: EDS, resourceNamesSubscribe: ["one", "too many"] });
  assert.equal((await failure(proxy.stream)).status, "RESOURCE_EXHAUSTED");
});

Deno.test("a client that never reads is held at a bound, then dropped and counted; others are served", async () => {
  await using w = await world([CDS], { slotMs: 1, stallMs: 1_000, slice: 100_000 });
  const large = (tag: string) =>
    Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`c${i}`, tag.padEnd(50_000, ".")]),
    );
  w.set(CDS, large("1"));
  w.publish();
  const before = await counted("pilot_xds_write_timeout");
  const deaf = w.raw("Delta", 65_535);
  deaf.send(request(nodeOf({ name: "deaf" })));
  await until(() => w.xds.size === 1);
  const good = w.delta();
  good.send({ typeUrl: CDS });
  const seen = new Set<string>();
  while (seen.size < 100) for (const { name } of (await good.take()).resources) seen.add(name);
  await until(() => w.xds.size === 1);
  assert.equal(w.xds.sessions()[0]!.node.name, "app");
  assert.equal(await counted("pilot_xds_write_timeout"), before + 1);
  deaf.close();
  good.close();
});

async function counted(name: string): Promise<number> {
  const { body } = await expose();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(String(body))?.[1] ?? 0);
}

Deno.test("clients that come and go leave nothing behind", async () => {
  await using w = await world([CDS, EDS]);
  w.set(CDS, { a: "1" });
  w.publish();
  for (let round = 0; round < 4; round++) {
    const streams = Array.from({ length: 50 }, (_, i) => w.delta({ name: `p${i}` }));
    for (const [i, proxy] of streams.entries()) {
      proxy.send({ typeUrl: CDS });
      proxy.send({ typeUrl: EDS, resourceNamesSubscribe: ["a", `own-${i}`] });
      if (i % 2 === 0) await proxy.next();
      proxy.close();
    }
    await Promise.all(streams.map((proxy) => proxy.stream.ended));
  }
  await until(() => w.xds.size === 0);
  assert.equal(w.bindings, 0);
});

Deno.test("a source that fails for one proxy fails that stream alone", async () => {
  await using w = await world([CDS]);
  const bind = w.source.bind;
  Object.assign(w.source, {
    bind: (...args: Parameters<typeof bind>) => {
      if (args[0].name === "bad") throw new Error("secret reason");
      return bind(...args);
    },
  });
  const bad = w.delta({ name: "bad" });
  bad.send({ typeUrl: CDS });
  const error = await failure(bad.stream);
  assert.equal(error.status, "INTERNAL");
  assert.ok(!error.details.includes("secret"));
  const good = w.delta();
  good.send({ typeUrl: CDS });
  await good.take();
  good.close();
});

Deno.test("draining refuses new clients and ends the streams there are", async () => {
  await using w = await world([CDS]);
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS });
  await proxy.take();
  const done = w.xds.drain(10);
  await assert.rejects(proxy.next(), /the stream ended/);
  await done;
  assert.equal(w.xds.size, 0);
  const late = w.raw("Delta");
  late.send(request(nodeOf({})));
  assert.equal((await failure(late)).status, "UNAVAILABLE");
});

Deno.test("a proxy can be disconnected by name, and pushed to without a change", async () => {
  await using w = await world([CDS]);
  w.set(CDS, { a: "1" });
  w.publish();
  const [one, two] = [w.delta({ name: "one" }), w.delta({ name: "two" })];
  for (const proxy of [one, two]) {
    proxy.send({ typeUrl: CDS });
    await proxy.take();
  }
  assert.equal(w.xds.pushAll(), 2);
  for (const proxy of [one, two]) assert.equal((await proxy.take()).resources.length, 1);
  assert.equal(w.xds.disconnect("one.default"), 1);
  await assert.rejects(one.next(), /the stream ended/);
  assert.equal(w.xds.disconnect("nobody.default"), 0);
  await two.quiet();
  two.close();
});

Deno.test("the decoded response is what the schema says", async () => {
  await using w = await world([CDS]);
  w.set(CDS, { a: "1" });
  w.publish();
  const stream = w.raw("Delta");
  stream.send(request(nodeOf({})));
  for await (const bytes of stream.messages) {
    const message = fromBinary(DeltaDiscoveryResponseSchema, bytes);
    assert.equal(message.$unknown, undefined, "no field the schema does not know");
    assert.equal(message.systemVersionInfo, String(w.source.revision));
    break;
  }
  stream.close();
});
