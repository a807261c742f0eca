import assert from "node:assert/strict";
import { eventually, freePort } from "../../../scripts/harness/mod.ts";
import {
  openStream,
  type RpcCall,
  RpcError,
  type RpcServer,
  type RpcStream,
  startRpc,
} from "../../kit/rpc/mod.ts";
import { encode, fromBinary } from "../../kit/proto/mod.ts";
import {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { type Relay, startRelay } from "./relay.ts";

const ADS = "/envoy.service.discovery.v3.AggregatedDiscoveryService";
const SOTW = `${ADS}/StreamAggregatedResources`;
const DELTA = `${ADS}/DeltaAggregatedResources`;
const MIB = 1024 * 1024;
const KEEPALIVE = { interval: 30_000, timeout: 10_000 };

function daemon(
  handle: (call: RpcCall, path: string) => Promise<void>,
  port: number,
): Promise<RpcServer> {
  return startRpc({
    address: `127.0.0.1:${port}`,
    services: [SOTW, DELTA].map((path) => ({ path, handle: (call) => handle(call, path) })),
    limits: { maxReceive: 64 * MIB, maxStreams: 100 },
    keepalive: KEEPALIVE,
  });
}

/** A relay with its own socket, to a port. */
async function relayTo(port: number): Promise<Relay & { dir: string; socket: string }> {
  const dir = await Deno.makeTempDir();
  const socket = `${dir}/XDS`;
  const relay = await startRelay({
    socket,
    target: `127.0.0.1:${port}`,
    maxRequest: 16 * MIB,
    maxStreams: 100,
    keepalive: KEEPALIVE,
    backoff: { first: 5, longest: 20 },
  });
  return { ...relay, dir, socket };
}

async function withRelay(
  port: number,
  run: (open: (path?: string) => RpcStream) => Promise<void>,
): Promise<void> {
  const relay = await relayTo(port);
  const streams: RpcStream[] = [];
  try {
    await run((path = DELTA) => {
      const stream = openStream({ target: `unix:${relay.socket}`, path });
      streams.push(stream);
      return stream;
    });
  } finally {
    for (const stream of streams) stream.close();
    await relay.stop();
    await assert.rejects(Deno.lstat(relay.socket), Deno.errors.NotFound);
    await Deno.remove(relay.dir, { recursive: true });
  }
}

/** Bytes that are not a valid protobuf message, so that any parsing would fail. */
function noise(size: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let i = 0, x = seed; i < size; i++) bytes[i] = x = (x * 31 + 255) & 0xff;
  return bytes;
}

async function next(iterator: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  const { value, done } = await iterator.next();
  assert.equal(done, false, "the stream ended");
  return value;
}

async function echo(call: RpcCall): Promise<void> {
  for await (const message of call.messages) {
    if (!call.send(message)) await call.drained();
  }
}

Deno.test("bytes of any size pass both ways unchanged, over both methods", async () => {
  const port = freePort();
  const paths: string[] = [];
  const server = await daemon((call, path) => {
    paths.push(path);
    return echo(call);
  }, port);
  await withRelay(port, async (open) => {
    for (const path of [SOTW, DELTA]) {
      const stream = open(path);
      const answers = stream.messages[Symbol.asyncIterator]();
      for (const [seed, size] of [0, 1, 1000, 3 * MIB].entries()) {
        const message = noise(size, seed);
        stream.send(message);
        assert.deepEqual(new Uint8Array(await next(answers)), message);
      }
    }
  });
  assert.deepEqual(paths, [SOTW, DELTA]);
  await server.stop(0);
});

const VIRTUAL_HOST = "type.googleapis.com/envoy.config.route.v3.VirtualHost";

Deno.test("virtual hosts pass: an empty subscription to the daemon, unrequested resources to the proxy", async () => {
  const port = freePort();
  const asked: DeltaDiscoveryRequest[] = [];
  const server = await daemon(async (call) => {
    for await (const message of call.messages) {
      asked.push(fromBinary(DeltaDiscoveryRequestSchema, message));
      call.send(encode(DeltaDiscoveryResponseSchema, {
        typeUrl: VIRTUAL_HOST,
        nonce: "1",
        resources: [{ name: "80/a.example:80", version: "v" }],
        removedResources: ["80/b.example:80", "90/"],
      }));
    }
  }, port);
  await withRelay(port, async (open) => {
    const stream = open(DELTA);
    const answers = stream.messages[Symbol.asyncIterator]();
    stream.send(encode(DeltaDiscoveryRequestSchema, {
      typeUrl: VIRTUAL_HOST,
      initialResourceVersions: { "80/c.example:80": "w" },
    }));
    const response = fromBinary(DeltaDiscoveryResponseSchema, await next(answers));
    assert.equal(response.typeUrl, VIRTUAL_HOST);
    assert.deepEqual(response.resources.map((r) => r.name), ["80/a.example:80"]);
    assert.deepEqual(response.removedResources, ["80/b.example:80", "90/"]);
  });
  assert.deepEqual(asked.map((r) => [r.typeUrl, r.resourceNamesSubscribe]), [[VIRTUAL_HOST, []]]);
  assert.deepEqual(asked[0]!.initialResourceVersions, { "80/c.example:80": "w" });
  await server.stop(0);
});

/**
 * Number of 1 MiB messages in the tests of back-pressure: much more than all windows and queues
 * hold.
 */
const MANY = 100;

Deno.test("a proxy that does not read holds the daemon back", async () => {
  const port = freePort();
  let sent = 0;
  const server = await daemon(async (call, path) => {
    if (path === SOTW) return await echo(call);
    for (; sent < MANY; sent++) {
      if (!call.send(noise(MIB, sent))) await call.drained();
    }
  }, port);
  await withRelay(port, async (open) => {
    const stream = open();
    await standstill(() => sent, open(SOTW));
    assert.ok(sent < MANY / 2, `${sent} MiB were taken off the daemon's hands`);
    let count = 0;
    for await (const message of stream.messages) {
      assert.equal(message.byteLength, MIB);
      count++;
      if (count === MANY) break;
    }
    assert.equal(count, MANY);
  });
  await server.stop(0);
});

Deno.test("a daemon that does not read holds the proxy back", async () => {
  const port = freePort();
  const proceed = Promise.withResolvers<void>();
  let received = 0;
  const server = await daemon(async (call, path) => {
    if (path === SOTW) return await echo(call);
    await proceed.promise;
    for await (const _ of call.messages) received++;
    call.send(noise(1, 1));
  }, port);
  await withRelay(port, async (open) => {
    const stream = open();
    let sent = 0;
    const sending = (async () => {
      for (; sent < MANY; sent++) {
        if (!stream.send(noise(MIB, sent))) await stream.drained();
      }
      stream.end();
    })();
    await standstill(() => sent, open(SOTW));
    assert.ok(sent < MANY / 2, `${sent} MiB were taken off the proxy's hands`);
    proceed.resolve();
    await sending;
    await next(stream.messages[Symbol.asyncIterator]());
    assert.equal(received, MANY);
  });
  await server.stop(0);
});

/** After this many messages of another stream without progress, the flow has stopped. */
const ROUNDS = 50;

/**
 * Resolves when a growing number has stopped, while messages of another stream are still echoed by
 * the same relay.
 */
async function standstill(read: () => number, beside: RpcStream): Promise<void> {
  await eventually("the first message", () => read() > 0);
  const answers = beside.messages[Symbol.asyncIterator]();
  for (let last = -1, same = 0; same < ROUNDS; same++) {
    if (read() !== last) same = 0;
    last = read();
    beside.send(noise(1000, same));
    await next(answers);
  }
}

Deno.test("the proxy's stream ends with the daemon's status", async () => {
  const port = freePort();
  const server = await daemon(async (call) => {
    for await (const _ of call.messages) {
      throw new RpcError("RESOURCE_EXHAUSTED", "too many proxies");
    }
  }, port);
  await withRelay(port, async (open) => {
    const stream = open();
    stream.send(noise(10, 1));
    await assert.rejects(
      next(stream.messages[Symbol.asyncIterator]()),
      (error) => error instanceof RpcError && error.status === "RESOURCE_EXHAUSTED",
    );
  });
  await server.stop(0);
});

Deno.test("a daemon that is not there yet is waited for, and no message is lost", async () => {
  const port = freePort();
  await withRelay(port, async (open) => {
    const stream = open();
    stream.send(noise(100, 7));
    const answers = stream.messages[Symbol.asyncIterator]();
    const answer = next(answers);
    const attempts = failures();
    await eventually("some attempts", async () => await failures() > await attempts + 2);
    const server = await daemon(echo, port);
    assert.deepEqual(new Uint8Array(await answer), noise(100, 7));
    stream.close();
    await server.stop(0);
  });
});

Deno.test("after a restart of the daemon the proxy's next stream is served", async () => {
  const port = freePort();
  let server = await daemon(echo, port);
  await withRelay(port, async (open) => {
    const first = open();
    first.send(noise(5, 1));
    const answers = first.messages[Symbol.asyncIterator]();
    await next(answers);
    await server.stop(0);
    await assert.rejects(next(answers), RpcError);
    const second = open();
    second.send(noise(5, 2));
    server = await daemon(echo, port);
    assert.deepEqual(
      new Uint8Array(await next(second.messages[Symbol.asyncIterator]())),
      noise(5, 2),
    );
  });
  await server.stop(0);
});

Deno.test("the end of the proxy's stream ends the stream to the daemon", async () => {
  const port = freePort();
  const gone = Promise.withResolvers<void>();
  const server = await daemon(async (call) => {
    void call.ended.then(gone.resolve);
    await echo(call);
  }, port);
  await withRelay(port, async (open) => {
    const stream = open();
    stream.send(noise(5, 1));
    await next(stream.messages[Symbol.asyncIterator]());
    stream.close();
    await gone.promise;
  });
  await server.stop(0);
});

Deno.test("a proxy that goes while the daemon is waited for ends the wait", async () => {
  const port = freePort();
  let calls = 0;
  let server: RpcServer | undefined;
  await withRelay(port, async (open) => {
    const stream = open();
    stream.send(noise(5, 1));
    const before = await failures();
    await eventually("an attempt", async () => await failures() > before);
    stream.close();
    await stream.ended;
    server = await daemon((call) => {
      calls++;
      return echo(call);
    }, port);
    // A wait that continued would reach the daemon too; the sanitizers detect remaining resources.
    const next = open();
    next.send(noise(5, 2));
    await standstill(() => calls, next);
  });
  assert.equal(calls, 1);
  await server?.stop(0);
});

/** Number of failed attempts so far, from the metric. */
async function failures(): Promise<number> {
  const { expose } = await import("../../kit/metrics/mod.ts");
  const { body } = await expose();
  return Number(/^meshd_connection_failures (\d+)/m.exec(body)?.[1] ?? 0);
}
