/**
 * What peers may do wrong at the level of frames, against the real server over real sockets.
 *
 * @module
 */
import assert from "node:assert/strict";
import { openStream, type RpcCall, type RpcMethod, type RpcServer, startRpc } from "../mod.ts";
import { H2_CODE } from "./error.ts";
import {
  FLAG,
  FRAME,
  frame,
  frameReader,
  goAwayFrame,
  headerFrames,
  MAX_FRAME,
  PREFACE,
  readUint31,
  resetFrame,
  SETTING,
  settingsFrame,
  windowFrame,
} from "./frame.ts";
import { encodeHeaders, type Headers } from "./hpack.ts";

const PATH = "/test.Echo/Stream";
const REQUEST: Headers = [
  [":method", "POST"],
  [":scheme", "http"],
  [":path", PATH],
  [":authority", "x"],
  ["content-type", "application/grpc"],
];
const SETTINGS = settingsFrame([]);

async function echo(call: RpcCall): Promise<void> {
  for await (const message of call.messages) call.send(message);
}

function serve(handle: RpcMethod["handle"] = echo): Promise<RpcServer> {
  return startRpc({
    address: "127.0.0.1:0",
    services: [{ path: PATH, handle }],
    limits: { maxReceive: 1000, maxStreams: 10 },
    keepalive: { interval: 30_000, timeout: 10_000 },
  });
}

/** Asserts that a usual client is served. */
async function works(server: RpcServer): Promise<void> {
  const stream = openStream({ target: server.address, path: PATH });
  stream.send(new Uint8Array([7]));
  stream.end();
  const got: number[] = [];
  for await (const message of stream.messages) got.push(...message);
  assert.deepEqual(got, [7]);
  await stream.ended;
}

/** Sends bytes and reads until the server closes; tells the code of its farewell, and all frames. */
async function say(
  server: RpcServer,
  ...bytes: readonly Uint8Array[]
): Promise<{ code: string | undefined; types: number[] }> {
  const conn = await Deno.connect({ port: server.port });
  const types: number[] = [];
  let code: string | undefined;
  const reader = frameReader(false);
  const reading = (async () => {
    for await (const chunk of conn.readable) {
      reader.push(chunk, ({ type, payload }) => {
        types.push(type);
        if (type !== FRAME.GOAWAY) return;
        const number = readUint31(payload, 4);
        code = Object.entries(H2_CODE).find(([, value]) => value === number)?.[0];
      });
    }
  })().catch(() => {});
  const writer = conn.writable.getWriter();
  try {
    for (const part of bytes) await writer.write(part);
  } catch {
    // The server may have had enough before all was said.
  }
  await reading;
  return { code, types };
}

function request(stream: number, headers: Headers = REQUEST): Uint8Array {
  return join(headerFrames(stream, encodeHeaders(headers), false, MAX_FRAME));
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function times(count: number, part: Uint8Array): Uint8Array {
  const out = new Uint8Array(count * part.length);
  for (let i = 0; i < count; i++) out.set(part, i * part.length);
  return out;
}

const hello = join([PREFACE, SETTINGS]);
const ping = frame(FRAME.PING, 0, 0, new Uint8Array(8));
const data = (stream: number, size: number) => frame(FRAME.DATA, 0, stream, new Uint8Array(size));
const continuation = frame(FRAME.CONTINUATION, 0, 1, new Uint8Array(MAX_FRAME));

const cases: [name: string, code: string | undefined, ...bytes: Uint8Array[]][] = [
  ["another protocol", "PROTOCOL_ERROR", new TextEncoder().encode("GET / HTTP/1.1\r\n\r\n")],
  ["no settings first", "PROTOCOL_ERROR", PREFACE, ping],
  ["a frame too large", "FRAME_SIZE_ERROR", hello, frame(0, 0, 1, new Uint8Array(MAX_FRAME + 1))],
  ["data nobody asked for", "PROTOCOL_ERROR", hello, data(1, 1)],
  ["an even stream", "PROTOCOL_ERROR", hello, request(2)],
  ["headers on no stream", "PROTOCOL_ERROR", hello, request(0)],
  [
    "garbage for headers",
    "COMPRESSION_ERROR",
    hello,
    frame(FRAME.HEADERS, FLAG.END_HEADERS, 1, Uint8Array.of(0x80)),
  ],
  [
    "headers without end",
    "ENHANCE_YOUR_CALM",
    hello,
    frame(FRAME.HEADERS, 0, 1),
    times(4, continuation),
  ],
  [
    "headers too large",
    "ENHANCE_YOUR_CALM",
    hello,
    request(1, [...REQUEST, ["x", "y".repeat(17_000)]]),
  ],
  ["headers interrupted", "PROTOCOL_ERROR", hello, frame(FRAME.HEADERS, 0, 1), ping],
  ["a continuation of nothing", "PROTOCOL_ERROR", hello, continuation],
  [
    "all padding",
    "PROTOCOL_ERROR",
    hello,
    request(1),
    frame(FRAME.DATA, FLAG.PADDED, 1, Uint8Array.of(9, 0)),
  ],
  ["a window that grows by nothing", "PROTOCOL_ERROR", hello, windowFrame(0, 0)],
  [
    "a window beyond all bounds",
    "FLOW_CONTROL_ERROR",
    hello,
    windowFrame(0, 2 ** 31 - 1),
    windowFrame(0, 2 ** 31 - 1),
  ],
  [
    "an impossible window setting",
    "FLOW_CONTROL_ERROR",
    hello,
    settingsFrame([[SETTING.INITIAL_WINDOW_SIZE, 2 ** 31]]),
  ],
  ["a push", "PROTOCOL_ERROR", hello, frame(FRAME.PUSH_PROMISE, 4, 1, new Uint8Array(4))],
  ["a malformed ping", "FRAME_SIZE_ERROR", hello, frame(FRAME.PING, 0, 0, new Uint8Array(7))],
  ["a flood of pings", "ENHANCE_YOUR_CALM", hello, times(3000, ping)],
  ["a flood of settings", "ENHANCE_YOUR_CALM", hello, times(3000, SETTINGS)],
  ["a flood of empty data", "ENHANCE_YOUR_CALM", hello, request(1), times(3000, data(1, 0))],
  [
    "a flood of requests and resets",
    "ENHANCE_YOUR_CALM",
    hello,
    join(
      Array.from(
        { length: 2100 },
        (_, i) => join([request(2 * i + 1), resetFrame(2 * i + 1, "CANCEL")]),
      ),
    ),
  ],
  ["a farewell", undefined, hello, goAwayFrame(0, "NO_ERROR")],
  [
    "a reset and a farewell",
    undefined,
    hello,
    request(1),
    resetFrame(1, "CANCEL"),
    goAwayFrame(0, "NO_ERROR"),
  ],
];

Deno.test("what breaks the protocol ends that connection with a reason, and no other", async () => {
  const server = await serve();
  for (const [name, code, ...bytes] of cases) {
    assert.equal((await say(server, ...bytes)).code, code, name);
  }
  await works(server);
  await server.stop(0);
});

Deno.test("more than the window of a stream that nobody reads is refused", async () => {
  const server = await serve((call) => call.ended);
  const { code } = await say(server, hello, request(1), times(20, data(1, MAX_FRAME)));
  assert.equal(code, "FLOW_CONTROL_ERROR");
  await server.stop(0);
});

Deno.test("streams beyond the limit are refused one by one", async () => {
  const server = await serve();
  const requests = Array.from({ length: 12 }, (_, i) => request(2 * i + 1));
  const { types } = await say(
    server,
    hello,
    ...requests,
    goAwayFrame(0, "NO_ERROR"),
    ...Array.from(
      { length: 10 },
      (_, i) => resetFrame(2 * i + 1, "CANCEL"),
    ),
  );
  assert.equal(types.filter((type) => type === FRAME.RST_STREAM).length, 2);
  await server.stop(0);
});
