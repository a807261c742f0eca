import assert from "node:assert/strict";
import { MeshError } from "../base/mod.ts";
import { json, requestText, route, startWeb, text } from "./mod.ts";
import { connectTo, latin1, readHead, refusals, sendRaw, serving, writeAll } from "./testing.ts";

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
      const answer = await sendRaw(base, `GET /who/x HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
      // On all addresses a foreign name is answered, but is never taken for a local caller.
      if (status === 200) assert.match(answer, new RegExp(`"local": ${address !== ":0"}`));
    }, { address }));
}

const LOCAL = "Host: localhost\r\n";

const BROKEN: [name: string, bytes: string, status: number, reason: string][] = [
  ["an absolute target", `GET http://x/ HTTP/1.1\r\n${LOCAL}\r\n`, 400, "malformed"],
  ["a host that is none", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "malformed"],
  ["a host with a path", "GET / HTTP/1.1\r\nHost: localhost/a?\r\n\r\n", 400, "malformed"],
  [
    "a declared body that is too large",
    `POST /echo HTTP/1.1\r\n${LOCAL}Content-Length: 65\r\n\r\n`,
    413,
    "body",
  ],
  [
    "a chunked body that grows too large",
    `POST /echo HTTP/1.1\r\n${LOCAL}Transfer-Encoding: chunked\r\n\r\n41\r\n${"x".repeat(65)}\r\n`,
    413,
    "body",
  ],
  [
    "a body that is not text",
    `POST /echo HTTP/1.1\r\n${LOCAL}Content-Length: 1\r\n\r\n\u0080`,
    400,
    "body",
  ],
];

for (const [name, bytes, status, reason] of BROKEN) {
  Deno.test(`${name}: answered ${status}, counted, and others are served`, () =>
    serving(echo, async (base) => {
      const before = await refusals(reason);
      const sent = sendRaw(base, bytes);
      assert.equal((await fetch(`${base}/who/x`).then((answer) => answer.json())).name, "x");
      assert.match(await sent, new RegExp(`^HTTP/1.1 ${status} `));
      assert.equal(await refusals(reason), before + 1);
    }, { limits: { maxBodyBytes: 64 } }));
}

const UNPARSED: [name: string, bytes: string][] = [
  ["garbage", "\u0000\u0001nonsense\r\n\r\n"],
  ["two hosts", `GET / HTTP/1.1\r\nHost: a\r\n${LOCAL}\r\n`],
  ["headers of 3 MB", `GET / HTTP/1.1\r\n${LOCAL}x: ${"x".repeat(3_000_000)}\r\n\r\n`],
  [
    "two lengths of one body",
    `POST /echo HTTP/1.1\r\n${LOCAL}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
  ],
];

for (const [name, bytes] of UNPARSED) {
  Deno.test(`${name}: answered before any handler, and others are served`, () =>
    serving(echo, async (base) => {
      // The listener closes before it read everything, so that writing fails.
      using connection = await connectTo(base);
      const written = writeAll(connection, latin1(bytes)).catch(() => {});
      assert.match(await readHead(connection), /^HTTP\/1.1 4(00|31) /);
      assert.equal((await fetch(`${base}/who/x`).then((answer) => answer.json())).name, "x");
      await written;
    }));
}

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

Deno.test("requestText fails when no server listens, and after its timeout", async () => {
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
