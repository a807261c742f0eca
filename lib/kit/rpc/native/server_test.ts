import assert from "node:assert/strict";
import type { RpcCall } from "../call.ts";
import { FLAG, FRAME, frame, readUint31, SETTING, settingsFrame } from "../h2/frame.ts";
import type { Headers } from "../h2/mod.ts";
import { dial, headersOf, HELLO, messageOf, type RawPeer, requestHeaders } from "../h2/testing.ts";
import { openStream, RpcError, type RpcServer, startRpc } from "../mod.ts";
import { metadataOf, timeoutOf } from "./request.ts";

const PATH = "/test.Echo/Stream";
const REQUEST = requestHeaders(PATH);

function start(
  handle: (call: RpcCall) => Promise<void>,
  maxAge = Infinity,
): Promise<RpcServer> {
  return startRpc({
    address: "127.0.0.1:0",
    services: [{ path: PATH, handle }],
    limits: { maxReceive: 1 << 20, maxStreams: 100 },
    keepalive: { interval: 30_000, timeout: 10_000, maxAge },
  });
}

/** The value of a response header or trailer; waits for it. */
async function answer(peer: RawPeer, wanted: string): Promise<string> {
  const value = () => [...peer.headers.values()].flat().find(([name]) => name === wanted)?.[1];
  await peer.until(() => value() !== undefined);
  return value()!;
}

/** Sends a request with other headers, and returns what it is answered. */
async function ask(server: RpcServer, headers: Headers, wanted: string): Promise<string> {
  const peer = await dial({ port: server.port });
  await peer.send(HELLO, headersOf(1, headers, true));
  const value = await answer(peer, wanted);
  peer.close();
  return value;
}

Deno.test("only POST with a content type of gRPC is a call", async () => {
  const server = await start(async () => {});
  const typed = (type: string): Headers =>
    REQUEST.map(([name, value]) => [name, name === "content-type" ? type : value]);
  for (const type of ["application/grpc", "application/grpc+proto", "application/grpc;x=y"]) {
    assert.equal(await ask(server, typed(type), "grpc-status"), "0", type);
  }
  for (const type of ["application/grpc-web", "application/grpc-web+proto", "text/plain"]) {
    assert.equal(await ask(server, typed(type), ":status"), "415", type);
  }
  const get: Headers = REQUEST.map(([name, value]) => [name, name === ":method" ? "GET" : value]);
  assert.equal(await ask(server, get, ":status"), "405");
  await server.stop(0);
});

Deno.test("metadata leaves out pseudo-headers and binary headers, and joins those of a name", () => {
  const metadata = metadataOf([...REQUEST, ["a", "1"], ["trace-bin", "AAAA"], ["a", "2"]]);
  assert.deepEqual([...metadata], [["content-type", "application/grpc"], ["a", "1,2"]]);
});

Deno.test("timeouts are read in all units, and malformed ones are refused", () => {
  const read = (text: string) => timeoutOf([["grpc-timeout", text]]);
  const cases: [string, number | undefined][] = [
    ["1H", 3_600_000],
    ["2M", 120_000],
    ["3S", 3000],
    ["4m", 4],
    ["5000u", 5],
    ["6n", 1],
    ["99999999H", undefined],
  ];
  for (const [text, ms] of cases) assert.equal(read(text), ms, text);
  for (const text of ["", "1", "S", "-1S", "123456789S", "1s"]) {
    assert.throws(() => read(text), RpcError, text);
  }
  assert.equal(timeoutOf([]), undefined);
});

Deno.test("a call ends when the client's time is over, whatever its handler does", async () => {
  const ended = Promise.withResolvers<void>();
  const server = await start(async (call) => {
    call.send(new Uint8Array(200_000));
    await call.ended;
    ended.resolve();
  });
  assert.equal(await ask(server, [...REQUEST, ["grpc-timeout", "50m"]], "grpc-status"), "4");
  await ended.promise;
  assert.equal(await ask(server, [...REQUEST, ["grpc-timeout", "soon"]], "grpc-status"), "13");
  await server.stop(0);
});

Deno.test("a connection is retired in two steps: requests that were under way are served", async () => {
  const server = await start(async (call) => {
    for await (const message of call.messages) call.send(message);
  }, 200);
  const peer = await dial({ port: server.port });
  const goAways = () =>
    peer.frames.filter(({ type }) => type === FRAME.GOAWAY)
      .map(({ payload }) => readUint31(payload, 0));
  await peer.send(HELLO, headersOf(1, REQUEST));
  await peer.until(() => goAways().length === 1);
  assert.deepEqual(goAways(), [2 ** 31 - 1]);
  // A request that the client sent before it knew.
  await peer.send(headersOf(3, REQUEST), messageOf(3, Uint8Array.of(1)));
  await peer.until(() => peer.frames.some(({ type }) => type === FRAME.DATA));
  const probe = peer.frames.find(({ type, flags }) => type === FRAME.PING && flags === 0);
  await peer.send(frame(FRAME.PING, FLAG.ACK, 0, probe!.payload), headersOf(5, REQUEST));
  await peer.until(() => goAways().length === 2 && peer.resets().length > 0);
  assert.deepEqual([goAways()[1], peer.resets()], [3, [[5, "REFUSED_STREAM"]]]);
  await peer.send(frame(FRAME.DATA, FLAG.END_STREAM, 1), frame(FRAME.DATA, FLAG.END_STREAM, 3));
  await peer.closed;
  peer.close();
  await server.stop(0);
});

Deno.test("a client opens no stream beyond the server's limit", async () => {
  const { createConnection } = await import("../h2/mod.ts");
  const { connect } = await import("node:net");
  using listener = Deno.listen({ port: 0 });
  const accepted = listener.accept();
  const closed = Promise.withResolvers<void>();
  const socket = connect({ port: (listener.addr as Deno.NetAddr).port, host: "127.0.0.1" });
  const connection = createConnection({
    role: "client",
    socket,
    maxStreams: 0,
    window: 65_535,
    closed: () => closed.resolve(),
  });
  const aborts: string[] = [];
  const listen = { headers() {}, data() {}, aborted: (code: string) => void aborts.push(code) };
  connection.open(REQUEST, listen);
  using conn = await accepted;
  await conn.write(settingsFrame([[SETTING.MAX_CONCURRENT_STREAMS, 1]]));
  // The acknowledgement of SETTINGS is the last that the client sends.
  let received = 0;
  const least = 24 + 3 * 9;
  const chunk = new Uint8Array(1000);
  const ack = [0, 0, 0, FRAME.SETTINGS, FLAG.ACK, 0, 0, 0, 0].join();
  for (let text = ""; received < least || !text.includes(ack);) {
    const size = await conn.read(chunk);
    received += size!;
    text += [...chunk.subarray(0, size!)].join() + ",";
  }
  connection.open(REQUEST, listen);
  await Promise.resolve();
  assert.deepEqual([connection.streams, aborts], [1, ["REFUSED_STREAM"]]);
  connection.destroy();
  await closed.promise;
});

Deno.test("a stream that is refused ends with UNAVAILABLE", async () => {
  const server = await startRpc({
    address: "127.0.0.1:0",
    services: [{ path: PATH, handle: (call) => call.ended, admission: true }],
    limits: { maxReceive: 1 << 20, maxStreams: 100 },
    keepalive: { interval: 30_000, timeout: 10_000 },
    bounds: { unadmittedStreams: 0 },
  });
  const stream = openStream({ target: server.address, path: PATH });
  await assert.rejects(async () => {
    for await (const _ of stream.messages);
  }, { status: "UNAVAILABLE" });
  await server.stop(0);
});
