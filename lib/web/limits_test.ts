import assert from "node:assert/strict";
import { probe, route, startWeb, text } from "./mod.ts";
import { connectTo, latin1, readHead, refusals, sendRaw, serving, writeAll } from "./testing.ts";

/** Named otherwise than this machine, so that the limits for clients elsewhere apply. */
const GET = "GET / HTTP/1.1\r\nHost: elsewhere\r\n\r\n";
const ANYWHERE = ":0";

/** More than the buffers of a connection hold. */
const LARGE = "x".repeat(16 << 20);

/** Waits for a condition that nothing announces. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!await condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Reports if a request is answered with 200; false also while the listener is opened again. */
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

Deno.test("a client elsewhere that takes nothing for a while loses its answer", async () => {
  const { route, gone, made } = endless();
  await serving([route], async (base) => {
    using connection = await connectTo(base);
    await writeAll(connection, latin1(GET));
    await gone;
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
/** Starts a listener in a process with so few file descriptors; gives its base URL. */
async function withDescriptors(limit: number): Promise<{ base: string } & AsyncDisposable> {
  const code = `import { route, startWeb, text } from ${
    JSON.stringify(import.meta.resolve("./mod.ts"))
  };
    const routes = [route("GET", "/", () => text("ok"))];
    const { address } = await startWeb({ address: ":0", name: "test", routes });
    // As in the programs: the runtime exits if it needs a descriptor for this for the first time
    // later.
    Deno.addSignalListener("SIGUSR1", () => {});
    console.log(address.port);`;
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(file, code);
  const config = import.meta.resolve("../../deno.json").slice("file://".length);
  const command = new Deno.Command("bash", {
    args: ["-c", `ulimit -n ${limit}; exec "$@"`, "_", Deno.execPath(), "run", "-A", "-q"]
      .concat("--config", config, file),
    stdout: "piped",
    stderr: "null",
  });
  const child = command.spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return {
    base: `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
      await Deno.remove(file);
    },
  };
}

Deno.test("a process without file descriptors for connections goes on answering", async () => {
  await using child = await withDescriptors(128);
  const held: Deno.Conn[] = [];
  try {
    for (let n = 0; n < 300; n++) {
      await connectTo(child.base).then((connection) => held.push(connection), () => {});
    }
    // All connections were closed, for there are descriptors for a part of them only.
    await until(() => isAnswered(child.base));
  } finally {
    for (const connection of held) connection.close();
  }
});
