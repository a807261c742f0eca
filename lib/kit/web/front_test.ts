import assert from "node:assert/strict";
import { route, startWeb, text } from "./mod.ts";
import { CONNECTION_BURST } from "./pace.ts";
import {
  connectTo,
  latin1,
  listeningPorts,
  readHead,
  refusals,
  sendRaw,
  serving,
  until,
  writeAll,
} from "./testing.ts";

const GET = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
const UNFINISHED = GET.slice(0, -2);
const ROUTES = [
  route("GET", "/", () => text("ok")),
  route("GET", "/peer", ({ peer }) => text(peer.hostname)),
];

/** Reads until the other side closes; gives what came. */
async function readAll(connection: Deno.Conn): Promise<string> {
  return await new Response(connection.readable).text().catch(() => "");
}

Deno.test("handlers see the address of the client", () =>
  serving(ROUTES, async (base) => {
    using client = Deno.createHttpClient({ localAddress: "127.0.0.9" });
    assert.equal(await (await fetch(`${base}/peer`, { client })).text(), "127.0.0.9");
  }));

Deno.test("the port of the runtime's server answers only the front", async () => {
  const before = await listeningPorts();
  await serving(ROUTES, async (_, { address }) => {
    const added = [...(await listeningPorts()).difference(before)];
    assert.equal(added.length, 2);
    const port = added.find((each) => each !== address.port);
    assert.match(await sendRaw(`http://127.0.0.1:${port}`, GET), /^HTTP\/1.1 403 /);
  });
});

for (
  const [name, bytes] of [
    ["HTTP/2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["TLS", "\u0016\u0003\u0001\u0002\u0000\n"],
  ] as const
) {
  Deno.test(`${name} is refused`, () =>
    serving(ROUTES, async (base) => {
      const before = await refusals("protocol");
      assert.match(await sendRaw(base, bytes), /^HTTP\/1.1 400 /);
      assert.equal(await refusals("protocol"), before + 1);
    }));
}

Deno.test("a client that does not finish its headers in time is disconnected", () =>
  serving(ROUTES, async (base) => {
    const before = await refusals("headers");
    const slow = await connectTo(base);
    await writeAll(slow, latin1(UNFINISHED));
    assert.equal(await readAll(slow), "");
    // The second request of a connection has the same limit.
    const later = await connectTo(base);
    await writeAll(later, latin1(GET));
    await readHead(later);
    await writeAll(later, latin1(UNFINISHED));
    await readAll(later);
    assert.equal(await refusals("headers"), before + 2);
  }, { limits: { headersTimeoutMs: 100 } }));

Deno.test("an idle connection is closed after a while", () =>
  serving(ROUTES, async (base) => {
    const idle = await connectTo(base);
    await writeAll(idle, latin1(GET));
    assert.match(await readAll(idle), /^HTTP\/1.1 200 /);
  }, { limits: { idleTimeoutMs: 100 } }));

Deno.test("the largest unfinished headers give way when all together are too large", () =>
  serving(ROUTES, async (base) => {
    const before = await refusals("headers");
    using small = await connectTo(base);
    await writeAll(small, latin1(UNFINISHED));
    const large = await Promise.all([1, 2, 3].map(() => connectTo(base)));
    const over = Promise.race(large.map((each) => readAll(each)));
    for (const [i, each] of large.entries()) {
      await writeAll(each, latin1(`${UNFINISHED}x: ${"y".repeat(30_000 + 1000 * i)}`));
    }
    await over;
    await writeAll(small, latin1("\r\n"));
    assert.match(await readHead(small), /^HTTP\/1.1 200 /);
    assert(await refusals("headers") > before);
    // Each was closed, or is closed with the listener.
  }, { limits: { maxHeadBytes: 64_000 } }));

Deno.test("a connection beyond the limit takes the place of one that is not in use", async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<Response>();
  const slow = route("GET", "/slow", () => (started.resolve(), finish.promise));
  await serving([...ROUTES, slow], async (base) => {
    const before = await refusals("connections");
    const busy = sendRaw(base, GET.replace("/", "/slow"));
    await started.promise;
    const idle = await connectTo(base);
    await writeAll(idle, latin1(GET));
    await readHead(idle);
    const gone = readAll(idle);
    // At first the idle connection may be about to send a request.
    await until(async () => (await sendRaw(base, GET).catch(() => "")).startsWith("HTTP/1.1 200 "));
    await gone;
    assert(await refusals("connections") > before);
    finish.resolve(text("done"));
    assert.match(await busy, /^HTTP\/1.1 200 /);
  }, { limits: { maxConnections: 2 } });
});

Deno.test("an address that holds all its connections keeps no other address out", () =>
  serving(ROUTES, async (base) => {
    using held = await connectTo(base);
    await writeAll(held, latin1(UNFINISHED));
    using client = Deno.createHttpClient({ localAddress: "127.0.0.9" });
    assert.equal(await (await fetch(base, { client })).text(), "ok");
    await writeAll(held, latin1("\r\n"));
    assert.match(await readHead(held), /^HTTP\/1.1 200 /);
  }, { limits: { maxPerAddress: 1 } }));

Deno.test("new connections of an address beyond its rate are refused, others are not", () =>
  serving(ROUTES, async (base) => {
    const before = await refusals("rate");
    for (let n = 0; await refusals("rate") === before; n++) {
      assert(n < 10 * CONNECTION_BURST, `${n} connections were accepted`);
      (await connectTo(base)).close();
    }
    using client = Deno.createHttpClient({ localAddress: "127.0.0.9" });
    assert.equal(await (await fetch(base, { client })).text(), "ok");
  }));

Deno.test("stop ends at once beside idle and half-open connections", async () => {
  const server = await startWeb({ address: "127.0.0.1:0", name: "test", routes: ROUTES });
  const base = `http://127.0.0.1:${server.address.port}`;
  using idle = await connectTo(base);
  await writeAll(idle, latin1(GET));
  await readHead(idle);
  using unfinished = await connectTo(base);
  await writeAll(unfinished, latin1(UNFINISHED));
  const started = performance.now();
  await server.stop(60_000);
  assert(performance.now() - started < 10_000);
});

Deno.test("stop delivers an answer whose client is slow", async () => {
  const body = "x".repeat(16 << 20);
  const routes = [route("GET", "/", () => text(body))];
  const server = await startWeb({ address: "127.0.0.1:0", name: "test", routes });
  const connection = await connectTo(`http://127.0.0.1:${server.address.port}`);
  await writeAll(connection, latin1(GET));
  await readHead(connection);
  const stopped = server.stop(60_000);
  const rest = await readAll(connection);
  await stopped;
  assert(rest.endsWith("xx") || rest.endsWith("0\r\n\r\n"), `${rest.length} bytes came`);
  assert(rest.length > body.length - 100_000, `${rest.length} bytes came`);
});

Deno.test("requests that are sent ahead are all answered", () =>
  serving(ROUTES, async (base) => {
    const count = 1000;
    const connection = await connectTo(base);
    const written = writeAll(connection, latin1(GET.repeat(count)));
    let answers = "";
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(65_536);
    while (answers.split("HTTP/1.1 200 ").length <= count) {
      const length = await connection.read(buffer);
      assert(length !== null);
      answers += decoder.decode(buffer.subarray(0, length));
    }
    await written;
    connection.close();
  }));

Deno.test("a body with empty lines reaches its handler whole, and its connection is closed", () => {
  const size = route("POST", "/size", async ({ body }) => text(`size ${(await body()).length};`));
  return serving([...ROUTES, size], async (base) => {
    const body = "line\r\n\r\n\n\n".repeat(10_000);
    const connection = await connectTo(base);
    await writeAll(connection, latin1(GET));
    await readHead(connection);
    const head = `POST /size HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`;
    await writeAll(connection, latin1(head + body));
    const answer = await readAll(connection);
    assert.match(answer, /^HTTP\/1.1 200 /);
    assert(answer.includes(`size ${body.length};`), answer);
  });
});
