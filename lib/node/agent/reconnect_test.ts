import assert from "node:assert/strict";
import { eventually, freePort } from "../../../scripts/harness/mod.ts";
import { expose } from "../../kit/metrics/mod.ts";
import {
  openStream,
  type RpcCall,
  RpcError,
  type RpcServer,
  type RpcStream,
  startRpc,
} from "../../kit/rpc/mod.ts";
import type { Backoff } from "../../kit/async/mod.ts";
import { Reconnector } from "./reconnect.ts";
import { type Relay, startRelay } from "./relay.ts";

const DELTA = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
const KEEPALIVE = { interval: 30_000, timeout: 10_000 };
const BACKOFF: Backoff = { first: 20, longest: 200 };

function daemon(port: number, handle: (call: RpcCall) => Promise<void>): Promise<RpcServer> {
  return startRpc({
    address: `127.0.0.1:${port}`,
    services: [{ path: DELTA, handle }],
    limits: { maxReceive: 1024, maxStreams: 100 },
    keepalive: KEEPALIVE,
  });
}

async function echo(call: RpcCall): Promise<void> {
  for await (const message of call.messages) call.send(message);
}

interface TestAgent extends AsyncDisposable {
  open(): RpcStream;
}

async function agentTo(port: number): Promise<TestAgent> {
  const dir = await Deno.makeTempDir();
  const socket = `${dir}/XDS`;
  const relay: Relay = await startRelay({
    socket,
    target: `127.0.0.1:${port}`,
    maxRequest: 1024,
    maxStreams: 100,
    keepalive: KEEPALIVE,
    backoff: BACKOFF,
  });
  return {
    open: () => openStream({ target: `unix:${socket}`, path: DELTA }),
    async [Symbol.asyncDispose]() {
      await relay.stop();
      await Deno.remove(dir, { recursive: true });
    },
  };
}

/** Most attempts in a time (ms) with the shortest possible pauses, which are half of the full ones. */
function mostAttempts(ms: number): number {
  let attempts = 1;
  for (let spent = 0; spent <= ms; attempts++) {
    spent += Math.min(BACKOFF.longest, BACKOFF.first * 1.6 ** (attempts - 1)) / 2;
  }
  return attempts;
}

async function attempts(): Promise<number> {
  const { body } = await expose();
  return Number(/^meshd_connection_failures (\d+)/m.exec(body)?.[1] ?? 0);
}

/** A client without any pause: it opens its stream again whenever it ends. */
async function persistent(agent: TestAgent, served: () => void, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    const stream = agent.open();
    const close = () => stream.close();
    end.addEventListener("abort", close, { once: true });
    stream.send(Uint8Array.of(1));
    try {
      for await (const _ of stream.messages) served();
    } catch (error) {
      assert.ok(error instanceof RpcError);
    }
    end.removeEventListener("abort", close);
    stream.close();
    await stream.ended;
  }
}

const AGENTS = 15;
const STREAMS = 8;

Deno.test("a daemon that goes and comes: few attempts meanwhile, and all streams are served again", async () => {
  await using stack = new AsyncDisposableStack();
  const port = freePort();
  const end = new AbortController();
  const served = new Map<number, number>();
  let server = await daemon(port, echo);
  const clients: Promise<void>[] = [];
  for (let n = 0; n < AGENTS; n++) {
    const agent = stack.use(await agentTo(port));
    for (let m = 0; m < STREAMS; m++) {
      const id = n * STREAMS + m;
      const count = () => void served.set(id, (served.get(id) ?? 0) + 1);
      clients.push(persistent(agent, count, end.signal));
    }
  }
  const all = (times: number) =>
    eventually(
      `all streams to be served ${times} times`,
      () => served.size === AGENTS * STREAMS && [...served.values()].every((n) => n >= times),
      60_000,
    );
  await all(1);
  for (const times of [2, 3]) {
    const before = await attempts();
    const started = performance.now();
    await server.stop(0);
    await eventually("attempts of all agents", async () => await attempts() - before > 3 * AGENTS);
    const made = await attempts() - before;
    // Twice: an attempt may still reach the daemon that ends, and another series begins.
    const most = 2 * AGENTS * mostAttempts(performance.now() - started);
    assert.ok(made <= most, `${made} attempts of ${AGENTS} agents, at most ${most}`);
    server = await daemon(port, echo);
    await all(times);
  }
  end.abort();
  await Promise.all(clients);
  await server.stop(0);
});

Deno.test("a daemon that ends every stream at once is asked again with growing pauses", async () => {
  const port = freePort();
  const times: number[] = [];
  const server = await daemon(port, () => {
    times.push(performance.now());
    return Promise.reject(new RpcError("UNAVAILABLE", "overloaded"));
  });
  const end = new AbortController();
  await using agent = await agentTo(port);
  const client = persistent(agent, () => {}, end.signal);
  await eventually("some streams", () => times.length >= 8, 60_000);
  end.abort();
  await client;
  await server.stop(0);
  const pauses = times.slice(1).map((time, i) => time - times[i]!);
  // A busy machine makes them longer, never shorter.
  for (const [i, pause] of pauses.entries()) {
    const least = Math.min(BACKOFF.longest, BACKOFF.first * 1.6 ** i) / 2;
    // Timers count whole milliseconds.
    assert.ok(pause >= least - 2, `pause ${i}: ${pause} ms, at least ${least}`);
  }
});

Deno.test("streams that end together count as one failure; refusals of one stream do not count", async () => {
  const end = new AbortController();
  const server = await daemon(freePort(), echo);
  const reconnector = new Reconnector(server.address, { first: 20_000, longest: 20_000 });
  const opened = performance.now() - 1;
  reconnector.streamEnded(opened, new RpcError("INVALID_ARGUMENT", "no node"));
  reconnector.streamEnded(opened, new Error("other"));
  assert.equal(await reconnector.connected(end.signal), true);
  for (let n = 0; n < 100; n++) {
    reconnector.streamEnded(opened, new RpcError("UNAVAILABLE", "gone"));
  }
  const waiting = reconnector.connected(end.signal);
  end.abort();
  assert.equal(await waiting, false);
  await server.stop(0);
});
