import assert from "node:assert/strict";
import { MeshError } from "../base/mod.ts";
import {
  HIGH_WATER,
  openStream,
  type RpcCall,
  RpcError,
  type RpcMethod,
  type RpcOptions,
  type RpcServer,
  type RpcStatus,
  type RpcStream,
  startRpc,
} from "./mod.ts";

/** Tests run over each transport. */
function overEach(name: string, test: () => Promise<void>): void {
  for (const each of ["native", "grpc-js"] as const) {
    Deno.test(`${name} (${each})`, async () => {
      transport = each;
      await test();
    });
  }
}
let transport: NonNullable<RpcOptions["transport"]>;

const PATH = "/test.Echo/Stream";
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytes = (words: string) => new TextEncoder().encode(words);

function start(handle: RpcMethod["handle"], address = "127.0.0.1:0"): Promise<RpcServer> {
  return startRpc({
    address,
    transport,
    services: [{ path: PATH, handle }],
    limits: { maxReceive: 1 << 20, maxStreams: 100 },
    keepalive: { interval: 30_000, timeout: 10_000, maxAge: Infinity },
  });
}

async function echo(call: RpcCall): Promise<void> {
  for await (const message of call.messages) call.send([bytes("<"), message, bytes(">")]);
}

async function failure(stream: RpcStream): Promise<RpcError> {
  try {
    for await (const _ of stream.messages);
  } catch (error) {
    assert.ok(error instanceof RpcError);
    await stream.ended;
    return error;
  }
  throw new Error("the stream ended with OK");
}

overEach("messages go both ways, in order, over TCP and over a Unix socket", async () => {
  const folder = await Deno.makeTempDir();
  for (const address of ["127.0.0.1:0", `unix:${folder}/echo.sock`]) {
    const server = await start(echo, address);
    const stream = openStream({ target: server.address, path: PATH });
    for (const word of ["one", "two", "", "three"]) stream.send(bytes(word));
    stream.end();
    const got: string[] = [];
    for await (const message of stream.messages) got.push(text(message));
    assert.deepEqual(got, ["<one>", "<two>", "<>", "<three>"]);
    await stream.ended;
    await server.stop(1000);
  }
  await Deno.remove(folder, { recursive: true });
});

overEach("a handler's error arrives as the stream's status", async () => {
  const cases: { thrown: unknown; status: RpcStatus; details: RegExp }[] = [
    {
      thrown: new RpcError("INVALID_ARGUMENT", "no node"),
      status: "INVALID_ARGUMENT",
      details: /^no node$/,
    },
    { thrown: new Error("secret"), status: "INTERNAL", details: /^the handler of this call/ },
  ];
  for (const { thrown, status, details } of cases) {
    const server = await start((call) => {
      call.send(bytes("last words"));
      return Promise.reject(thrown);
    });
    const stream = openStream({ target: server.address, path: PATH });
    const error = await failure(stream);
    assert.equal(error.status, status);
    assert.match(error.details, details);
    await server.stop(1000);
  }
});

overEach(
  "a message above the limit, an unknown method and no server at all have their own status",
  async () => {
    const server = await start(echo);
    const big = openStream({ target: server.address, path: PATH });
    big.send(new Uint8Array((1 << 20) + 1));
    assert.equal((await failure(big)).status, "RESOURCE_EXHAUSTED");
    const unknown = openStream({ target: server.address, path: "/test.Echo/Other" });
    assert.equal((await failure(unknown)).status, "UNIMPLEMENTED");
    await server.stop(1000);
    const unreachable = openStream({ target: server.address, path: PATH });
    assert.equal((await failure(unreachable)).status, "UNAVAILABLE");
  },
);

overEach("a client that does not read holds the sender back, and can be cut off", async () => {
  const stuck = Promise.withResolvers<RpcCall>();
  const server = await start(async (call) => {
    const chunk = new Uint8Array(100_000);
    for (let i = 0; i < 1000; i++) {
      if (!call.send(chunk)) {
        stuck.resolve(call);
        await call.drained();
      }
    }
  });
  const stream = openStream({ target: server.address, path: PATH, window: 65_535 });
  const call = await stuck.promise;
  assert.ok(call.pending >= HIGH_WATER, "what was not taken is counted");
  call.reset();
  await call.ended;
  assert.equal(call.pending, 0);
  const error = await failure(stream);
  assert.notEqual(error.status, "OK");
  await server.stop(1000);
});

overEach("a slow reader gets everything", async () => {
  let waits = 0;
  const server = await start(async (call) => {
    for (let i = 0; i < 100; i++) {
      if (!call.send(new Uint8Array(100_000).fill(i))) {
        waits++;
        await call.drained();
      }
    }
  });
  const stream = openStream({ target: server.address, path: PATH, window: 65_535 });
  const seen: number[] = [];
  for await (const message of stream.messages) {
    seen.push(message[0]!);
    assert.equal(message.byteLength, 100_000);
  }
  assert.deepEqual(seen, [...Array(100).keys()]);
  assert.ok(waits > 0);
  await server.stop(1000);
});

overEach(
  "the handler learns that the client went away, and what it said about itself",
  async () => {
    const seen = Promise.withResolvers<RpcCall>();
    const server = await start(async (call) => {
      seen.resolve(call);
      for await (const _ of call.messages);
    });
    const stream = openStream({
      target: server.address,
      path: PATH,
      metadata: { clusterid: "c1" },
    });
    stream.send(bytes("hello"));
    const call = await seen.promise;
    assert.equal(call.metadata.get("clusterid"), "c1");
    assert.match(call.peer, /^127\.0\.0\.1:\d+$/);
    stream.close();
    await call.ended;
    for await (const _ of stream.messages) assert.fail("closed by us: nothing more");
    await server.stop(1000);
  },
);

overEach("stopping lets streams end within the grace time, then cuts them", async () => {
  const seen = Promise.withResolvers<void>();
  const server = await start(async (call) => {
    seen.resolve();
    for await (const _ of call.messages);
  });
  const stream = openStream({ target: server.address, path: PATH });
  stream.send(bytes("hello"));
  await seen.promise;
  const cut = failure(stream);
  await server.stop(0);
  assert.ok(["UNAVAILABLE", "CANCELLED", "INTERNAL"].includes((await cut).status));
});

overEach(
  "an address that is taken is named, a stale socket is cleared, a live one is not",
  async () => {
    const first = await start(echo);
    await assert.rejects(start(echo, first.address), (error: MeshError) => {
      assert.equal(error.code, "rpc-bind");
      assert.ok(error.message.includes(first.address));
      assert.ok(error.remedy);
      return true;
    });
    await first.stop(0);

    const folder = await Deno.makeTempDir();
    const path = `${folder}/s.sock`;
    await new Deno.Command("python3", {
      args: ["-c", `import socket;socket.socket(socket.AF_UNIX).bind("${path}")`],
    }).output();
    assert.ok((await Deno.lstat(path)).isSocket);
    const over = await start(echo, `unix:${path}`);
    await assert.rejects(start(echo, `unix:${path}`), {
      code: "rpc-bind",
      message: /another process/,
    });
    await over.stop(0);
    await Deno.writeTextFile(`${folder}/file`, "");
    await assert.rejects(start(echo, `unix:${folder}/file`), { message: /not a socket/ });
    await Deno.remove(folder, { recursive: true });
  },
);

overEach("a stopped server waits for handlers whose streams are cut", async () => {
  let ended = false;
  const begun = Promise.withResolvers<void>();
  const server = await start(async (call) => {
    begun.resolve();
    await call.ended;
    // The work that a handler has left.
    for (let i = 0; i < 5; i++) await new Promise<void>((done) => void setImmediate(done));
    ended = true;
  });
  const stream = openStream({ target: server.address, path: PATH });
  stream.send(bytes("a"));
  await begun.promise;
  await server.stop(0);
  assert.equal(ended, true);
  await failure(stream);
});

overEach("a stopped server does not wait for a handler that never ends", async () => {
  const begun = Promise.withResolvers<void>();
  const server = await start(() => {
    begun.resolve();
    return new Promise(() => {});
  });
  const stream = openStream({ target: server.address, path: PATH });
  stream.send(bytes("a"));
  await begun.promise;
  await server.stop(0);
  await failure(stream);
});
