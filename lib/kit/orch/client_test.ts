import assert from "node:assert/strict";
import { eventually } from "../../../scripts/harness/mod.ts";
import type { Access } from "./access.ts";
import { createClient } from "./client.ts";
import { OrchError } from "./error.ts";
import { createRateLimit } from "./rate.ts";

/** A server that answers with these statuses in turn, then with 200. It counts requests. */
function serve(statuses: readonly number[], headers: Record<string, string> = {}) {
  let count = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
    const status = statuses[count++] ?? 200;
    return Response.json({ count }, { status, headers });
  });
  const access: Access = {
    server: `http://127.0.0.1:${server.addr.port}`,
    name: "test",
    namespace: "default",
    tls: () => Promise.resolve({ ca: "" }),
    proxyUrl: "",
  };
  return { access, requests: () => count, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("a throttled request is repeated after the time that the server names", async () => {
  await using server = serve([429, 503, 429], { "retry-after": "0.01" });
  using client = createClient(server.access);
  assert.deepEqual(await client.json({ path: "/a", method: "POST", body: {} }), { count: 4 });
});

Deno.test("a server that throttles always is given up, and other errors are not repeated", async () => {
  await using server = serve(Array(6).fill(429), { "retry-after": "0" });
  using client = createClient(server.access);
  await assert.rejects(
    client.text({ path: "/a" }),
    (e) => e instanceof OrchError && e.status === 429,
  );
  assert.equal(server.requests(), 6);
  await using broken = serve([500, 503]);
  using other = createClient(broken.access);
  for (const status of [500, 503]) {
    const refused = (e: unknown) => e instanceof OrchError && e.status === status;
    await assert.rejects(other.text({ path: "/a" }), refused);
  }
  assert.equal(broken.requests(), 2);
});

Deno.test("an aborted request rejects with the signal's reason", async () => {
  await using server = serve([429], { "retry-after": "30" });
  using client = createClient(server.access);
  const stop = new AbortController();
  const text = client.text({ path: "/a", signal: stop.signal });
  const rejected = assert.rejects(text, /not needed/);
  await eventually("the server to have the request", () => server.requests() === 1);
  stop.abort(new Error("not needed"));
  await rejected;
});

Deno.test("the rate limit lets a burst through, then as many a second as it is set to", async () => {
  let now = 0;
  const waits: number[] = [];
  const sleep = (ms: number): Promise<void> => {
    waits.push(ms);
    return Promise.resolve();
  };
  const limit = createRateLimit({ qps: 10, burst: 3 }, { now: () => now, sleep });
  for (let i = 0; i < 5; i++) await limit.take();
  assert.deepEqual(waits, [100, 200]);
  now = 10_000;
  for (let i = 0; i < 3; i++) await limit.take();
  assert.equal(waits.length, 2, "the bucket is full again");
  const none = createRateLimit({ qps: 0, burst: 0 }, { now: () => now, sleep });
  for (let i = 0; i < 500; i++) await none.take();
  assert.equal(waits.length, 2);
});

Deno.test("every request of a client takes from its limit, a repeated one again", async () => {
  await using server = serve([200, 429], { "retry-after": "0" });
  const waits: number[] = [];
  const clock = {
    now: () => 0,
    sleep: (ms: number) => {
      waits.push(ms);
      return Promise.resolve();
    },
  };
  using client = createClient(server.access, { rate: { qps: 10, burst: 2 }, clock });
  await client.text({ path: "/a" });
  await client.json({ path: "/b" });
  assert.equal(server.requests(), 3);
  assert.deepEqual(waits, [100], "the repetition of the second one");
  await (await client.stream({ path: "/c" })).cancel();
  assert.deepEqual(waits, [100, 200]);
});
