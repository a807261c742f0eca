import assert from "node:assert/strict";
import { MeshError } from "../base/mod.ts";
import { expose } from "../metrics/mod.ts";
import {
  json,
  requestText,
  type Route,
  route,
  startWeb,
  text,
  type WebLimits,
  type WebServer,
} from "./mod.ts";

/** Starts a listener on loopback for a test and stops it afterwards. */
async function serving(
  routes: readonly Route[],
  act: (base: string, server: WebServer) => Promise<void>,
  options: { limits?: Partial<WebLimits>; address?: string } = {},
): Promise<void> {
  const { limits, address = "127.0.0.1:0" } = options;
  const server = await startWeb({ address, name: "test", routes, limits });
  try {
    await act(`http://127.0.0.1:${server.address.port}`, server);
  } finally {
    await server.stop(0);
  }
}

/** Writes bytes to the listener as they are and gives all that it answers until it closes. */
async function raw(base: string, bytes: string): Promise<string> {
  using connection = await Deno.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(base).port),
  });
  await connection.write(new TextEncoder().encode(bytes));
  let answer = "";
  try {
    for await (const part of connection.readable.values({ preventCancel: true })) {
      answer += new TextDecoder().decode(part);
    }
  } catch { /* cut off: what came before counts */ }
  return answer;
}

async function refusals(reason: string): Promise<number> {
  const { body } = await expose();
  const line = body.split("\n").find((each) =>
    each.startsWith(`mesh_web_refused_requests_total{listener="test",reason="${reason}"}`)
  );
  return Number(line?.split(" ")[1] ?? 0);
}

const echo = [
  route(
    "GET",
    "/who/:name",
    ({ params, url, peer, local }) =>
      json({ ...params, q: url.searchParams.get("q"), host: peer.hostname, local }),
  ),
  route("POST", "/echo", async ({ body }) => text(await body())),
  route("GET", "/broken", () => {
    throw new Error("secret detail");
  }),
];

Deno.test("a request reaches its handler with parameters, query, peer and body", () =>
  serving(echo, async (base) => {
    const who = await fetch(`${base}/who/a%2Fb?q=1`);
    assert.deepEqual(await who.json(), { name: "a/b", q: "1", host: "127.0.0.1", local: true });
    assert.equal(who.headers.get("content-type"), "application/json");
    assert.equal(who.headers.get("x-content-type-options"), "nosniff");
    const echoed = await fetch(`${base}/echo`, { method: "POST", body: "héllo" });
    assert.equal(await echoed.text(), "héllo");
    const head = await fetch(`${base}/who/x`, { method: "HEAD" });
    assert.equal(head.status, 200);
    assert.equal(await head.text(), "");
  }));

Deno.test("unknown paths and methods, and handlers that throw, get a status and no details", () =>
  serving(echo, async (base) => {
    const missing = await fetch(`${base}/nope`);
    assert.deepEqual([missing.status, await missing.text()], [404, "not found\n"]);
    const method = await fetch(`${base}/echo`);
    assert.deepEqual([method.status, method.headers.get("allow")], [405, "POST"]);
    await method.body?.cancel();
    const broken = await fetch(`${base}/broken`);
    assert.deepEqual([broken.status, await broken.text()], [500, "internal error\n"]);
  }));

const REBINDING: [address: string, host: string, status: number][] = [
  ["127.0.0.1:0", "localhost", 200],
  ["127.0.0.1:0", "127.0.0.1:99", 200],
  ["127.0.0.1:0", "evil.example", 403],
  ["localhost:0", "evil.example:80", 403],
  [":0", "pilot.mesh-system", 200],
];

for (const [address, host, status] of REBINDING) {
  Deno.test(`a listener on ${address} answers Host ${host} with ${status}`, () =>
    serving(echo, async (base) => {
      const answer = await raw(
        base,
        `GET /who/x HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
      // On all addresses a foreign name is answered, but is never taken for a local caller.
      if (status === 200) assert.match(answer, new RegExp(`"local": ${address !== ":0"}`));
    }, { address }));
}

const BROKEN: [name: string, bytes: string, status: number, reason: string][] = [
  ["garbage", "\u0000\u0001nonsense\r\n\r\n", 400, "malformed"],
  [
    "a target that is no path",
    "GET http://x/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    400,
    "malformed",
  ],
  ["a host that is none", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "malformed"],
  [
    "huge headers",
    `GET / HTTP/1.1\r\nHost: localhost\r\nx: ${"x".repeat(20_000)}\r\n\r\n`,
    431,
    "headers",
  ],
  ["headers that never end", "GET / HTTP/1.1\r\nHost: localhost\r\n", 408, "timeout"],
  [
    "a declared body that is too large",
    "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65\r\n\r\n",
    413,
    "body",
  ],
  [
    "a chunked body that grows too large",
    `POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n41\r\n${
      "x".repeat(65)
    }\r\n`,
    413,
    "body",
  ],
  [
    "a body that is not text",
    "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nConnection: close\r\n\r\n",
    400,
    "body",
  ],
];

for (const [name, bytes, status, reason] of BROKEN) {
  Deno.test(`${name}: answered ${status}, counted, and others are served`, () =>
    serving(echo, async (base) => {
      const before = await refusals(reason);
      const sent = name.endsWith("not text") ? raw(base, bytes + "\u0080") : raw(base, bytes);
      assert.equal((await fetch(`${base}/who/x`).then((answer) => answer.json())).name, "x");
      const answer = await sent;
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
      assert.equal(await refusals(reason), before + 1);
    }, { limits: { headersTimeoutMs: 100, maxBodyBytes: 64 } }));
}

Deno.test("a handler that takes too long is answered for, and its signal is aborted", async () => {
  const aborted = Promise.withResolvers<string>();
  const slow = route("GET", "/slow", ({ signal }) => {
    signal.addEventListener("abort", () => aborted.resolve(String(signal.reason?.name)));
    return new Promise<Response>(() => {});
  });
  await serving([slow], async (base) => {
    const answer = await fetch(`${base}/slow`);
    assert.deepEqual([answer.status, await answer.text()], [503, "the request took too long\n"]);
    assert.equal(await aborted.promise, "TimeoutError");
  }, { limits: { handlerTimeoutMs: 50 } });
});

Deno.test("connections beyond the limit are closed, and room comes back", () =>
  serving(echo, async (base) => {
    const held = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(base).port) });
    await held.write(new TextEncoder().encode("GET /who/x HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    await held.read(new Uint8Array(1024));
    const before = await refusals("connections");
    assert.equal(await raw(base, "GET /who/x HTTP/1.1\r\nHost: localhost\r\n\r\n"), "");
    assert.equal(await refusals("connections"), before + 1);
    held.close();
    const request = "GET /who/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let answer = "";
    while (answer === "") answer = await raw(base, request);
    assert.match(answer, /^HTTP\/1.1 200 /);
  }, { limits: { maxConnections: 1 } }));

Deno.test("a client that does not read its answer is cut off", async () => {
  const large = "x".repeat(1 << 20);
  let sent = 0;
  const gone = Promise.withResolvers<void>();
  const endless = route("GET", "/", () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new TextEncoder().encode(large));
          sent++;
        },
        cancel: () => gone.resolve(),
      }),
    ));
  await serving([endless], async (base) => {
    const port = Number(new URL(base).port);
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    await gone.promise;
    assert(sent < 64, `no more is made than the buffers take, but ${sent} MiB were`);
  }, { limits: { handlerTimeoutMs: 200 } });
});

Deno.test("stop lets a request under way finish, and takes no further ones", async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<Response>();
  const server = await startWeb({
    address: "127.0.0.1:0",
    name: "test",
    routes: [route("GET", "/", () => (started.resolve(), finish.promise))],
  });
  const base = `http://127.0.0.1:${server.address.port}`;
  const answer = fetch(base);
  await started.promise;
  const stopped = server.stop(60_000);
  await assert.rejects(fetch(base));
  finish.resolve(text("done"));
  assert.equal(await (await answer).text(), "done");
  await stopped;
});

Deno.test("stop cuts requests off when the grace is over", async () => {
  const started = Promise.withResolvers<void>();
  const hang = route("GET", "/", () => {
    started.resolve();
    return new Promise<Response>(() => {});
  });
  const server = await startWeb({ address: "127.0.0.1:0", name: "test", routes: [hang] });
  const answer = fetch(`http://127.0.0.1:${server.address.port}`);
  const refused = assert.rejects(answer);
  await started.promise;
  await server.stop(20);
  await refused;
});

Deno.test("an address in use is named, with what to do", () =>
  serving([], async (_, { address }) => {
    const taken = `127.0.0.1:${address.port}`;
    await assert.rejects(startWeb({ address: taken, name: "--httpAddr", routes: [] }), (error) => {
      assert(error instanceof MeshError);
      assert.equal(error.code, "listen-failed");
      assert.equal(error.message, `cannot listen on ${taken} (--httpAddr): the address is in use`);
      return error.remedy?.includes("another address") === true;
    });
  }));

Deno.test("an address that is not this machine's is refused", async () => {
  const address = "203.0.113.9:80";
  await assert.rejects(
    startWeb({ address, name: "test", routes: [] }),
    /203\.0\.113\.9:80 \(test\)/,
  );
});

const { signal } = new AbortController();

Deno.test("requestText prints bodies, also of 404, and makes errors of other bad statuses", () => {
  const routes = [
    route("POST", "/echo", async ({ body, request }) => text(`${request.method} ${await body()}`)),
    route("GET", "/bad", () => text("went\nwrong", { status: 503 })),
    route("GET", "/moved", () => text("moved", { status: 302, headers: { location: "/bad" } })),
  ];
  return serving(routes, async (base) => {
    const address = new URL(base).host;
    const send = (method: string, path: string, body?: string) =>
      requestText({ address, method, path, body, timeoutMs: 5_000, signal });
    assert.equal(await send("post", "echo", "x"), "POST x");
    assert.equal(await send("GET", "/nope"), "not found\n");
    assert.equal(await send("GET", "/moved"), "moved");
    await assert.rejects(send("GET", "/bad"), {
      code: "request-status",
      message: "received unsuccessful status code 503: went\nwrong",
    });
    await assert.rejects(send("GET", "/x", "body"), { code: "request-invalid" });
    await assert.rejects(send("B AD", "/x"), { code: "request-invalid" });
  });
});

Deno.test("requestText gives up when nobody listens, and after its time", async () => {
  let address = "";
  const hang = route("GET", "/", () => new Promise<Response>(() => {}));
  await serving([hang], async (base) => {
    address = new URL(base).host;
    const request = { address, method: "GET", path: "/", timeoutMs: 50, signal };
    await assert.rejects(requestText(request), { code: "request-failed" });
  });
  const request = { address, method: "GET", path: "/", timeoutMs: 5_000, signal };
  await assert.rejects(requestText(request), (error) => {
    assert(error instanceof MeshError);
    return error.remedy?.includes(address) === true;
  });
});
