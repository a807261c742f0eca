import assert from "node:assert/strict";
import { openStream, type RpcCall, type RpcServer, startRpc } from "../mod.ts";
import { type Case, CASES, ECHO_PATH } from "./conformance_cases.ts";
import { FLAG, FRAME, frame } from "./frame.ts";
import { dial, type RawPeer } from "./testing.ts";

const PROBE = frame(FRAME.PING, 0, 0, new TextEncoder().encode("finished"));

/** Reports if the answer to {@link PROBE} came, and so all before it was handled. */
function isAnswered({ frames }: RawPeer): boolean {
  return frames.some(({ type, flags, payload }) =>
    type === FRAME.PING && flags & FLAG.ACK && payload[0] === "f".charCodeAt(0)
  );
}

async function echo(call: RpcCall): Promise<void> {
  for await (const message of call.messages) call.send(message);
}

function start(): Promise<RpcServer> {
  return startRpc({
    address: "127.0.0.1:0",
    services: [
      { path: ECHO_PATH, handle: echo },
      { path: "/test.Echo/Unread", handle: (call) => call.ended },
    ],
    limits: { maxReceive: 1 << 20, maxStreams: 10 },
    keepalive: { interval: 30_000, timeout: 10_000 },
  });
}

/** Plays a case and asserts the reaction. */
async function play(server: RpcServer, { name, send, reaction }: Case): Promise<void> {
  const peer = await dial({ port: server.port });
  await peer.send(...send, PROBE);
  await peer.until(() => peer.isClosed || isAnswered(peer));
  const errors = peer.resets().filter(([, code]) => code !== "NO_ERROR");
  if (reaction === "ends") {
    await peer.closed;
    assert.equal(peer.goAway(), undefined, name);
  } else if (reaction === "fine") {
    assert.deepEqual([peer.goAway(), errors, peer.isClosed], [undefined, [], false], name);
  } else if ("goAway" in reaction) {
    await peer.closed;
    assert.equal(peer.goAway(), reaction.goAway, name);
  } else {
    const { stream = 1, reset } = reaction;
    assert.deepEqual([peer.goAway(), errors], [undefined, [[stream, reset]]], name);
  }
  peer.close();
  await peer.closed;
}

/** Asserts that an ordinary client is served. */
async function works(server: RpcServer): Promise<void> {
  const stream = openStream({ target: server.address, path: ECHO_PATH });
  stream.send(new Uint8Array([7]));
  stream.end();
  const got: number[] = [];
  for await (const message of stream.messages) got.push(...message);
  assert.deepEqual(got, [7]);
  await stream.ended;
}

Deno.test("each rule of HTTP/2 has its reaction, and other connections are not touched", async (t) => {
  const server = await start();
  for (const one of CASES) await t.step(one.name, () => play(server, one));
  await works(server);
  await server.stop(0);
});
