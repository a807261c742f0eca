/**
 * Floods, and clients that do not read, against the real server over real sockets. The suite
 * `tests/attacks` makes the same attacks on the daemon and measures memory and waits.
 *
 * @module
 */
import assert from "node:assert/strict";
import { expose } from "../../metrics/mod.ts";
import { openStream, type RpcCall, type RpcMethod, type RpcServer, startRpc } from "../mod.ts";
import type { RpcOptions } from "../options.ts";
import {
  FLAG,
  FRAME,
  frame,
  goAwayFrame,
  headerFrames,
  MAX_FRAME,
  resetFrame,
  SETTING,
  settingsFrame,
  windowFrame,
} from "./frame.ts";
import { encodeHeaders } from "./hpack.ts";
import {
  dial,
  headersOf,
  HELLO,
  join,
  messageOf,
  type RawPeer,
  requestHeaders,
  times,
} from "./testing.ts";

const PATH = "/test.Echo/Stream";
const REQUEST = requestHeaders(PATH);

/** Admits a client with its first message, and echoes. */
async function echo(call: RpcCall): Promise<void> {
  for await (const message of call.messages) {
    call.admit();
    call.send(message);
  }
}

function serve(
  handle: RpcMethod["handle"] = echo,
  options: Partial<RpcOptions> = {},
): Promise<RpcServer> {
  return startRpc({
    address: "127.0.0.1:0",
    services: [{ path: PATH, handle, admission: true }],
    limits: { maxReceive: 1 << 20, maxStreams: 100_000 },
    keepalive: { interval: 30_000, timeout: 10_000 },
    ...options,
  });
}

/** Asserts that an ordinary client is served. */
async function works(server: RpcServer): Promise<void> {
  const stream = openStream({ target: server.address, path: PATH });
  stream.send(new Uint8Array([7]));
  stream.end();
  const got: number[] = [];
  for await (const message of stream.messages) got.push(...message);
  assert.deepEqual(got, [7]);
  await stream.ended;
}

/** Requests on several streams, beginning with a stream id. */
function requests(count: number, first = 1, headers = REQUEST): Uint8Array {
  return join(Array.from({ length: count }, (_, i) => headersOf(first + 2 * i, headers)));
}

const data = (stream: number, size: number) => frame(FRAME.DATA, 0, stream, new Uint8Array(size));
const ping = frame(FRAME.PING, 0, 0, new Uint8Array(8));
const padded = frame(FRAME.DATA, FLAG.PADDED, 1, Uint8Array.of(1, 0));
const continuations = (count: number, size: number) => [
  frame(FRAME.HEADERS, 0, 1, encodeHeaders(REQUEST)),
  times(count, frame(FRAME.CONTINUATION, 0, 1, new Uint8Array(size))),
];
const resets = Array.from(
  { length: 2100 },
  (_, i) => join([headersOf(2 * i + 1, REQUEST), resetFrame(2 * i + 1, "CANCEL")]),
);
const unknown = requestHeaders("/test.Echo/Other");
const malformed = Array.from(
  { length: 2100 },
  (_, i) => frame(FRAME.HEADERS, FLAG.END_HEADERS, 2 * i + 1),
);
/** Fields without a name and a value, as literals. */
const emptyFields = frame(FRAME.HEADERS, FLAG.END_HEADERS, 1, new Uint8Array(3 * 400));
const large = headersOf(1, [...REQUEST, ["x", "y".repeat(15_000)]]);

const FLOODS: readonly (readonly [name: string, ...bytes: Uint8Array[]])[] = [
  ["PING", times(2100, ping)],
  ["SETTINGS", times(2100, settingsFrame([]))],
  ["SETTINGS with many entries", settingsFrame(Array(33).fill([SETTING.HEADER_TABLE_SIZE, 1]))],
  ["PRIORITY", times(2100, frame(FRAME.PRIORITY, 0, 3, new Uint8Array(5)))],
  ["unknown frames", times(2100, frame(0xff, 0, 0))],
  ["empty DATA", requests(1), times(2100, data(1, 0))],
  ["DATA that is all padding", requests(1), times(2100, padded)],
  ["WINDOW_UPDATE of a closed stream", ...resets.slice(0, 1), times(2100, windowFrame(1, 1))],
  ["requests and resets", join(resets)],
  ["requests", requests(2100)],
  ["requests to unknown methods", requests(2100, 1, unknown)],
  ["empty header blocks", join(malformed)],
  [
    "fields without name and value",
    ...Array.from({ length: 2100 }, (_, i) => {
      const block = emptyFields.slice();
      new DataView(block.buffer).setUint32(5, 2 * i + 1);
      return block;
    }),
  ],
  ["CONTINUATION beyond the limit", ...continuations(4, MAX_FRAME)],
  ["empty CONTINUATION", ...continuations(2100, 0)],
  ["CONTINUATION of one byte", ...continuations(2100, 1)],
  [
    "large headers",
    ...Array.from({ length: 400 }, (_, i) => {
      const block = large.slice();
      new DataView(block.buffer).setUint32(5, 2 * i + 1);
      return join([block, resetFrame(2 * i + 1, "CANCEL")]);
    }),
  ],
];

/** Number of refusals for a reason, by the metric. */
async function refusals(reason: string): Promise<number> {
  const { body } = await expose("");
  const line = new RegExp(`^mesh_grpc_refused_total\\{reason="${reason}"\\} (\\d+)$`, "m");
  return Number(line.exec(body)?.[1] ?? 0);
}

/** Milliseconds in which that many frames are a flood: a slower machine has to try again. */
const PERIOD_MS = 10_000;

/** Floods a connection; returns the error with which the server ended it. */
async function flooded(server: RpcServer, bytes: readonly Uint8Array[]) {
  for (let attempt = 1;; attempt++) {
    const peer = await dial({ port: server.port });
    const since = performance.now();
    await peer.send(HELLO, ...bytes);
    await peer.closed;
    const error = peer.goAway();
    const isSlow = performance.now() - since > PERIOD_MS;
    peer.close();
    if (error !== undefined || !isSlow || attempt === 5) return error;
  }
}

Deno.test("a flood ends its connection, and no other, and is counted", async (t) => {
  const server = await serve();
  const before = await refusals("flood");
  for (const [name, ...bytes] of FLOODS) {
    await t.step(name, async () => {
      assert.equal(await flooded(server, bytes), "ENHANCE_YOUR_CALM");
    });
  }
  assert.ok(await refusals("flood") > before);
  await works(server);
  await server.stop(0);
});

/** A request, and the head of a message of 16 KiB. */
function partial(stream: number): Uint8Array {
  const head = Uint8Array.of(0, 0, 0, 0x40, 0);
  return join([headersOf(stream, REQUEST), frame(FRAME.DATA, 0, stream, head)]);
}

Deno.test("streams before admission are bounded, and admitted ones are not", async () => {
  const server = await serve(echo, { bounds: { unadmittedStreams: 5 } });
  const peer = await dial({ port: server.port });
  const refused = () => peer.resets().filter(([, code]) => code === "REFUSED_STREAM");
  await peer.send(HELLO, requests(7));
  await peer.until(() => refused().length === 2);
  assert.deepEqual(refused().map(([stream]) => stream), [11, 13]);
  // Each admitted stream makes room for another one.
  const echoes = () => peer.frames.filter(({ type }) => type === FRAME.DATA).length;
  for (let i = 0; i < 20; i++) {
    await peer.send(messageOf(i < 5 ? 2 * i + 1 : 2 * i + 5, Uint8Array.of(i)));
    await peer.until(() => echoes() === i + 1);
    await peer.send(headersOf(15 + 2 * i, REQUEST));
  }
  assert.equal(refused().length, 2);
  peer.close();
  await server.stop(0);
});

Deno.test("connections without a request are bounded, and make way for others", async () => {
  const server = await serve(echo, { bounds: { unadmittedOfAddress: 3, requestMs: 3000 } });
  const silent = await Promise.all([1, 2, 3].map(() => dial({ port: server.port })));
  const refused = await dial({ port: server.port });
  await refused.closed;
  assert.deepEqual(silent.map(({ isClosed }) => isClosed), [false, false, false]);
  // The oldest makes way when it has been silent for a second: `gate_test.ts`.
  const admitted = async (): Promise<boolean> => {
    const peer = await dial({ port: server.port });
    await peer.send(HELLO, requests(1), messageOf(1, Uint8Array.of(1)));
    await peer.until(() => peer.isClosed || peer.frames.some(({ type }) => type === FRAME.DATA));
    const is = !peer.isClosed;
    peer.close();
    return is;
  };
  while (!await admitted());
  assert.equal(silent.filter(({ isClosed }) => isClosed).length, 1, "one made way");
  await Promise.all(silent.map(({ closed }) => closed));
  for (const peer of [...silent, refused]) peer.close();
  await server.stop(0);
});

Deno.test("admitted connections do not count for their address", async () => {
  const server = await serve(echo, { bounds: { unadmittedOfAddress: 2 } });
  const peers: RawPeer[] = [];
  for (let i = 0; i < 10; i++) {
    const peer = await dial({ port: server.port });
    await peer.send(HELLO, requests(1), messageOf(1, Uint8Array.of(1)));
    await peer.until(() => peer.frames.some(({ type }) => type === FRAME.DATA));
    peers.push(peer);
  }
  assert.ok(peers.every(({ isClosed }) => !isClosed));
  for (const peer of peers) peer.close();
  await server.stop(0);
});

Deno.test("partial messages of all connections share a limit, and the largest connection is closed", async () => {
  const memory = 8 * (1 << 20);
  const server = await serve(echo, { bounds: { memory } });
  const victim = await dial({ port: server.port });
  await victim.send(HELLO, requests(1), messageOf(1, Uint8Array.of(1)));
  await victim.until(() => victim.frames.some(({ type }) => type === FRAME.DATA));
  // Each announces 16 KiB on 90 streams: about 1.8 MiB.
  const peers = await Promise.all(Array.from({ length: 8 }, () => dial({ port: server.port })));
  for (const peer of peers) {
    await peer.send(HELLO, ...Array.from({ length: 90 }, (_, i) => partial(2 * i + 1)), ping);
    await peer.until(() => peer.isClosed || peer.frames.some(({ type }) => type === FRAME.PING));
  }
  const cut = () => peers.filter(({ isClosed }) => isClosed).length;
  assert.ok(cut() >= 3, `${cut()} are cut`);
  assert.equal(victim.isClosed, false);
  await victim.send(messageOf(1, Uint8Array.of(2)));
  await victim.until(() => victim.frames.filter(({ type }) => type === FRAME.DATA).length === 2);
  for (const peer of [...peers, victim]) peer.close();
  await server.stop(0);
});

Deno.test("padding is credited without a frame for each DATA frame", async () => {
  const server = await serve((call) => call.ended);
  const peer = await dial({ port: server.port });
  const padding = frame(FRAME.DATA, FLAG.PADDED, 1, new Uint8Array(1000).fill(200, 0, 1));
  await peer.send(HELLO, requests(1), times(200, padding), ping);
  await peer.until(() => peer.frames.some(({ type }) => type === FRAME.PING));
  const updates = peer.frames.filter(({ type }) => type === FRAME.WINDOW_UPDATE).length;
  // An update of stream and connection for each quarter of the window, which is 64 KiB.
  assert.ok(updates <= 1 + 2 * Math.ceil(200_000 / 16_384), `${updates} updates`);
  peer.close();
  await server.stop(0);
});

Deno.test("the content behind a message that is too large is not kept", async () => {
  const server = await serve(echo, { limits: { maxReceive: 1000, maxStreams: 10 } });
  const peer = await dial({ port: server.port });
  await peer.send(HELLO, headersOf(1, REQUEST), data(1, 0), messageOf(1, new Uint8Array(2000)));
  await peer.until(() => peer.resets().length === 1);
  assert.deepEqual(peer.resets(), [[1, "NO_ERROR"]]);
  const status = [...peer.headers.values()].flat().find(([name]) => name === "grpc-status");
  assert.deepEqual(status, ["grpc-status", "8"]);
  peer.close();
  await server.stop(0);
});

Deno.test("a client that ends its side gets what is queued, and the status", async () => {
  const content = new Uint8Array(200_000);
  const server = await serve((call) => {
    call.admit();
    call.send(content);
    return Promise.resolve();
  });
  const peer = await dial({ port: server.port });
  // The content waits for the window of the stream when the client's end comes.
  await peer.send(HELLO, headersOf(1, REQUEST));
  const received = () =>
    peer.frames.filter(({ type }) => type === FRAME.DATA)
      .reduce((sum, { payload }) => sum + payload.length, 0);
  await peer.until(() => received() === 65_535);
  await peer.send(frame(FRAME.DATA, FLAG.END_STREAM, 1));
  await peer.send(windowFrame(0, 1e6), windowFrame(1, 1e6));
  await peer.until(() =>
    [...peer.headers.values()].flat().some(([name]) => name === "grpc-status")
  );
  assert.equal(received(), content.length + 5);
  assert.deepEqual(peer.resets(), []);
  peer.close();
  await server.stop(0);
});

Deno.test("streams beyond the limit are refused one by one", async () => {
  const server = await serve(echo, { limits: { maxReceive: 1000, maxStreams: 10 } });
  const peer = await dial({ port: server.port });
  await peer.send(HELLO, requests(12), goAwayFrame(0, "NO_ERROR"));
  for (let i = 0; i < 10; i++) await peer.send(resetFrame(2 * i + 1, "CANCEL"));
  await peer.closed;
  assert.deepEqual(peer.resets(), [[21, "REFUSED_STREAM"], [23, "REFUSED_STREAM"]]);
  peer.close();
  await server.stop(0);
});

Deno.test("a header block in pieces without an end takes bounded memory", async () => {
  const server = await serve();
  const peer = await dial({ port: server.port });
  const [begin] = headerFrames(1, encodeHeaders(REQUEST), { end: false, maxFrame: 5 });
  await peer.send(HELLO, begin!, times(3, frame(FRAME.CONTINUATION, 0, 1, new Uint8Array(16_000))));
  await peer.closed;
  assert.equal(peer.goAway(), "ENHANCE_YOUR_CALM");
  peer.close();
  await server.stop(0);
});
