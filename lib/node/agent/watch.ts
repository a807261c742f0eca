/**
 * A stream to the daemon for the agent's own subscriptions, where no proxy has one.
 *
 * @module
 */
import { type Backoff, jittered, pauseAfter, sleep } from "../../kit/async/mod.ts";
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { openStream, type RpcClientTls } from "../../kit/rpc/mod.ts";
import { dial } from "./dial.ts";
import { type AgentSubscription, type Interception, interceptor } from "./intercept.ts";
import type { BootstrapNode } from "./node.ts";
import { nodeMessage } from "./node_message.ts";

/** Options of {@link watchDaemon}. */
export interface WatchOptions {
  /** The daemon, `host:port`. */
  readonly target: string;
  /** TLS towards the daemon, read for each connection; default: none. */
  readonly tls?: () => Promise<RpcClientTls>;
  readonly node: BootstrapNode;
  readonly subscriptions: readonly AgentSubscription[];
  readonly maxResponse?: number;
  readonly keepalive: { readonly interval: number; readonly timeout: number };
}

const METHOD = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";

/** Pauses between streams that end at once. */
const PAUSES: Backoff = { first: 200, longest: 10_000 };
/** A stream that lasted so long (ms) was a success. */
const LASTING_MS = 10_000;

const log = scope("xdsproxy");

/** Subscribes, and again whenever the stream ends, until `signal` is aborted. */
export async function watchDaemon(options: WatchOptions, signal: AbortSignal): Promise<void> {
  const intercept = interceptor(options.subscriptions);
  for (let failures = 0; await dial(options.target, signal);) {
    const started = performance.now();
    try {
      await stream(options, intercept(METHOD), signal);
    } catch (error) {
      log.warn("the stream to the daemon ended", { reason: messageOf(error) });
    }
    failures = performance.now() - started > LASTING_MS ? 1 : failures + 1;
    await sleep(jittered(pauseAfter(failures, PAUSES)), signal);
  }
}

async function stream(
  { target, tls, node, maxResponse, keepalive }: WatchOptions,
  interception: Interception,
  signal: AbortSignal,
): Promise<void> {
  const open = openStream({
    target,
    tls: await tls?.(),
    path: METHOD,
    maxReceive: maxResponse,
    keepalive,
  });
  const close = () => open.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    const first = nodeMessage(node);
    for (const request of interception.requests(first)) open.send(request);
    for await (const message of open.messages) {
      const answer = interception.take(message);
      if (answer !== undefined) open.send(answer);
    }
  } finally {
    signal.removeEventListener("abort", close);
    open.close();
    await open.ended;
  }
}
