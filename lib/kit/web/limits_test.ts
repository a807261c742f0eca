import assert from "node:assert/strict";
import { probe, route, startWeb, text } from "./mod.ts";
import {
  connectTo,
  latin1,
  readHead,
  refusals,
  sendRaw,
  serving,
  until,
  writeAll,
} from "./testing.ts";

/** Named otherwise than this machine, so that the limits for clients elsewhere apply. */
const GET = "GET / HTTP/1.1\r\nHost: elsewhere\r\n\r\n";
const ANYWHERE = ":0";

/** More than the buffers of a connection hold. */
const LARGE = "x".repeat(16 << 20);

/** Reports if a request is answered with 200. */
async function isAnswered(base: string): Promise<boolean> {
  const answer = await sendRaw(base, GET).catch(() => "");
  return answer.startsWith("HTTP/1.1 200 ");
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

Deno.test("the signal of a handler is aborted when its client leaves, and not by its answer", async () => {
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const hang = route("GET", "/hang", ({ signal }) => {
    signal.addEventListener("abort", () => aborted.resolve());
    started.resolve();
    return new Promise<Response>(() => {});
  });
  const quick = route("GET", "/quick", ({ signal }) => (signals.push(signal), text("ok")));
  await serving([hang, quick], async (base) => {
    assert.equal(await (await fetch(`${base}/quick`)).text(), "ok");
    const leaving = new AbortController();
    const answer = fetch(`${base}/hang`, { signal: leaving.signal });
    await started.promise;
    leaving.abort();
    await assert.rejects(answer);
    await aborted.promise;
    assert.deepEqual(signals.map(({ aborted }) => aborted), [false]);
  });
});

Deno.test("requests beyond the limit are refused, probes are not, and slots come back", async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<Response>();
  const routes = [
    route("GET", "/slow", () => (started.resolve(), finish.promise)),
    route("GET", "/", () => text("ok")),
    probe("GET", "/ready", () => text("")),
  ];
  await serving(routes, async (base) => {
    const before = await refusals("busy");
    const first = fetch(`${base}/slow`);
    await started.promise;
    const second = await fetch(base);
    assert.deepEqual([second.status, await second.text()], [503, ""]);
    assert.equal(await refusals("busy"), before + 1);
    const ready = await fetch(`${base}/ready`);
    assert.deepEqual([ready.status, await ready.text()], [200, ""]);
    finish.resolve(text("done"));
    assert.equal(await (await first).text(), "done");
    await until(async () => {
      const answer = await fetch(base);
      await answer.body?.cancel();
      return answer.status === 200;
    });
  }, { limits: { maxRequests: 1 } });
});

/** A route whose answer never ends; `gone` resolves when the listener gives it up. */
function endless(): { route: ReturnType<typeof route>; gone: Promise<void>; made: () => number } {
  const gone = Promise.withResolvers<void>();
  const part = new Uint8Array(1 << 20);
  let made = 0;
  const body = () =>
    new ReadableStream({
      pull(controller) {
        controller.enqueue(part.slice());
        made++;
      },
      cancel: () => gone.resolve(),
    });
  return {
    route: route("GET", "/", () => new Response(body())),
    gone: gone.promise,
    made: () => made,
  };
}

Deno.test("a client elsewhere that takes nothing for a while loses its answer, others do not", async () => {
  const { route: stalling, gone, made } = endless();
  const quick = route("GET", "/quick", () => text("ok"));
  await serving([stalling, quick], async (base) => {
    const before = await refusals("stalled");
    using other = await connectTo(base);
    await writeAll(other, latin1(GET.replace("/", "/quick")));
    assert.match(await readHead(other), /^HTTP\/1.1 200 /);
    using connection = await connectTo(base);
    await writeAll(connection, latin1(GET));
    await gone;
    await writeAll(other, latin1(GET.replace("/", "/quick")));
    assert.match(await readHead(other), /^HTTP\/1.1 200 /);
    assert.equal(await refusals("stalled"), before + 1);
    assert(made() < 64, `no more is made than the buffers take, but ${made()} MiB were`);
  }, { limits: { stallTimeoutMs: 100 }, address: ANYWHERE });
});

Deno.test("a client on this machine may pause, until the time for its answer is over", async () => {
  const { route, gone } = endless();
  const limits = { stallTimeoutMs: 1, sendTimeoutMs: 300 };
  await serving([route], async (base) => {
    const started = performance.now();
    using connection = await connectTo(base);
    await writeAll(connection, latin1("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    await gone;
    assert(performance.now() - started >= 299);
  }, { limits });
});

Deno.test("answers that wait for their clients share a bounded memory", () =>
  serving([route("GET", "/", () => text(LARGE))], async (base) => {
    using stalled = await connectTo(base);
    await writeAll(stalled, latin1(GET));
    assert.match(await readHead(stalled), /^HTTP\/1.1 200 /);
    const before = await refusals("busy");
    assert.match(await sendRaw(base, GET), /^HTTP\/1.1 503 /);
    assert.equal(await refusals("busy"), before + 1);
    stalled.close();
    await until(() => isAnswered(base));
  }, { limits: { maxPendingBytes: 24 << 20, stallTimeoutMs: 60_000 }, address: ANYWHERE }));

Deno.test("pipelined requests are handled one after the other, as their answers are taken", async () => {
  let handled = 0;
  const body = "x".repeat(65_536);
  const counted = route("GET", "/", () => (handled++, text(body)));
  await serving([counted], async (base) => {
    using connection = await connectTo(base);
    const written = writeAll(connection, latin1(GET.repeat(10_000))).catch(() => {});
    await until(() => handled > 0);
    await (await fetch(base)).body?.cancel();
    assert(handled < 1000, `${handled} of 10000 were handled`);
    connection.closeWrite().catch(() => {});
    void written;
  }, { address: ANYWHERE });
});

Deno.test("a client that takes nothing gives way to a new request", () =>
  serving([route("GET", "/", () => text(LARGE))], async (base) => {
    using stalled = await connectTo(base);
    await writeAll(stalled, latin1(GET));
    assert.match(await readHead(stalled), /^HTTP\/1.1 200 /);
    await until(() => isAnswered(base));
  }, { limits: { maxRequests: 1, stallTimeoutMs: 60_000 }, address: ANYWHERE }));

Deno.test("stop lets a request in progress finish, and refuses further ones", async () => {
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
  const refused = await fetch(base);
  assert.deepEqual([refused.status, await refused.text()], [503, ""]);
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
