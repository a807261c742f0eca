/**
 * The xDS relay: forwards bytes unchanged between the proxy's Unix socket and the daemon.
 * Subscriptions of the agent's own share the streams.
 *
 * Each stream of the proxy has one stream to the daemon. When the daemon's stream ends, the proxy's
 * ends too: the proxy then reconnects with its resource versions and gets only the difference.
 * While the daemon is not reachable, the proxy's stream stays open and unread, and the proxy keeps
 * its configuration.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { type Logger, scope } from "../../kit/log/mod.ts";
import { queueItem } from "../../kit/metrics/mod.ts";
import { openStream, type RpcCall, RpcError, type RpcServer, startRpc } from "../../kit/rpc/mod.ts";
import type { RpcClientTls, RpcStream } from "../../kit/rpc/mod.ts";
import { conversionOf, type ResourceConverter, type StreamConversion } from "./convert.ts";
import type { Backoff } from "../../kit/async/mod.ts";
import { type AgentSubscription, type Interception, interceptor } from "./intercept.ts";
import {
  daemonTerminations,
  internalErrors,
  proxyTerminations,
  xdsRequests,
  xdsResponses,
} from "./metrics.ts";
import { type StreamObserver, streamObserver } from "./observe.ts";
import { Reconnector } from "./reconnect.ts";
import type { Reports, StreamReports } from "./reports.ts";
import { untilConnected } from "./saved/offline.ts";
import type { SavedConfiguration, StreamRecorder } from "./saved/saved.ts";

export interface RelayOptions {
  /** Path of the socket that the proxy connects to. */
  readonly socket: string;
  /** The daemon, `host:port`. */
  readonly target: string;
  /** TLS towards the daemon, read for each connection; default: none. */
  readonly tls?: () => Promise<RpcClientTls>;
  /** Largest message from the proxy, bytes. */
  readonly maxRequest: number;
  /** Largest message from the daemon, bytes; undefined: no limit. */
  readonly maxResponse?: number;
  /** Maximum number of concurrent streams. */
  readonly maxStreams: number;
  /** Keepalive pings on an idle connection to the daemon, ms. */
  readonly keepalive: { readonly interval: number; readonly timeout: number };
  /** Pauses between attempts to reach the daemon; the default is for production. */
  readonly backoff?: Backoff;
  /** Subscriptions of the agent's own on each stream, with different types; default: none. */
  readonly subscriptions?: readonly AgentSubscription[];
  /** Reports that are sent on each stream; default: none. */
  readonly reports?: readonly Reports[];
  /** Resources that are converted for the proxy; default: none. */
  readonly converter?: ResourceConverter;
  /** Id of the proxy's node, in metrics; default: empty. */
  readonly node?: string;
  /** Configuration for a proxy that starts while the daemon is away; default: none. */
  readonly saved?: SavedConfiguration;
}

/** A running relay. */
export interface Relay {
  /** Ends all streams and removes the socket. */
  stop(): Promise<void>;
}

const SERVICE = "/envoy.service.discovery.v3.AggregatedDiscoveryService/";
const DELTA = `${SERVICE}DeltaAggregatedResources`;
/** The relayed methods, by xDS variant. */
const PATHS = { sotw: `${SERVICE}StreamAggregatedResources`, delta: DELTA } as const;
const METHODS = Object.values(PATHS);

/**
 * HTTP/2 window towards the daemon, bytes: the same as the proxy's, so that large pushes cost less.
 */
const WINDOW_BYTES = 16 * 1024 * 1024;

/** Name of the queue of responses that are converted, in metrics. */
const QUEUE = "conversions";

const log: Logger = scope("xdsproxy");

/**
 * Starts listening on the socket.
 *
 * @throws MeshError `rpc-bind` when the socket cannot be made
 */
export async function startRelay(options: RelayOptions): Promise<Relay> {
  const stopping = new AbortController();
  const intercept = interceptor(options.subscriptions ?? []);
  const reconnector = new Reconnector(options.target, options.backoff);
  const server: RpcServer = await startRpc({
    address: `unix:${options.socket}`,
    services: METHODS.map((path) => ({
      path,
      handle: (call: RpcCall) =>
        relay(call, path, {
          ...options,
          interception: intercept(path),
          conversion: options.converter && conversionOf(options.converter, path),
          saved: path === PATHS[options.saved?.variant ?? "delta"] ? options.saved : undefined,
          reconnector,
        }, stopping.signal),
    })),
    limits: { maxReceive: options.maxRequest, maxStreams: options.maxStreams },
    keepalive: options.keepalive,
  });
  return {
    async stop() {
      stopping.abort();
      await server.stop(0);
      await Deno.remove(options.socket).catch(() => {});
    },
  };
}

interface StreamOptions extends RelayOptions {
  /** The agent's own subscriptions on this stream. */
  readonly interception: Interception;
  readonly conversion: StreamConversion | undefined;
  readonly reconnector: Reconnector;
}

/** Relays one stream of the proxy until either side ends. It ends with the daemon's stream. */
async function relay(
  call: RpcCall,
  path: string,
  options: StreamOptions,
  stopping: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  void call.ended.then(() => gone.abort());
  const signal = AbortSignal.any([stopping, gone.signal]);
  const messages = await messagesBehind(call, options, signal);
  if (messages === undefined) return;
  const tls = await options.tls?.();
  if (signal.aborted) return;
  const recorder = options.saved?.record();
  const upstream = openStream({
    target: options.target,
    tls,
    path,
    maxReceive: options.maxResponse,
    window: WINDOW_BYTES,
    keepalive: options.keepalive,
  });
  const opened = performance.now();
  log.info("connected to the daemon", { address: options.target });
  const close = () => upstream.close();
  signal.addEventListener("abort", close, { once: true });
  let proxyEnded = false;
  const reports = (options.reports ?? []).map((one) => one.on(path));
  const send = (message: Uint8Array | undefined) => {
    if (message !== undefined && !proxyEnded) upstream.send(message);
  };
  const reporting = startReporting(reports, send);
  const observer = streamObserver(path === DELTA, options.node ?? "");
  const down = { call, messages, recorder, observer };
  void forward(down, upstream, options, reporting.begin).then(() => proxyEnded = true, close);
  const take = takerOf(down, { ...options, reports }, { answer: send, close });
  try {
    await back(down, upstream, take);
    if (!proxyEnded && !signal.aborted) throw new RpcError("UNAVAILABLE", "the stream was ended");
    if (!stopping.aborted) proxyTerminations.inc();
  } catch (error) {
    options.reconnector.streamEnded(opened, error);
    throw lost(error);
  } finally {
    reporting.end();
    signal.removeEventListener("abort", close);
    upstream.close();
  }
}

/** Sends the first reports of a stream, and further ones after changes, until the end. */
function startReporting(
  reports: readonly StreamReports[],
  send: (message: Uint8Array | undefined) => void,
): { begin(): void; end(): void } {
  const ends: (() => void)[] = [];
  return {
    begin() {
      for (const one of reports) {
        send(one.message());
        ends.push(one.onChange(() => send(one.message())));
      }
    },
    end() {
      for (const end of ends.splice(0)) end();
    },
  };
}

/** Waits for the daemon; the messages of the proxy, or undefined when the stream is over. */
async function messagesBehind(
  call: RpcCall,
  { reconnector, saved, interception }: StreamOptions,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const connected = reconnector.connected(signal);
  if (saved) return await untilConnected(saved, { call, connected, signal, interception });
  return await connected ? call.messages : undefined;
}

/** The proxy's side of a stream, and those who see its messages. */
interface Downstream {
  readonly call: RpcCall;
  /** Messages of the proxy, from the first one. */
  readonly messages: AsyncIterable<Uint8Array>;
  readonly recorder: StreamRecorder | undefined;
  readonly observer: StreamObserver;
}

/**
 * Takes responses that are not forwarded as they are. Converted ones reach the proxy in their order;
 * others do not wait for them.
 */
function takerOf(
  { call, recorder, observer }: Downstream,
  { interception, conversion, reports }: Pick<StreamOptions, "interception" | "conversion"> & {
    readonly reports: readonly StreamReports[];
  },
  daemon: { answer(message: Uint8Array): void; close(): void },
): (message: Uint8Array) => boolean {
  let conversions = Promise.resolve();
  return (message) => {
    const taken = interception.take(message);
    if (taken !== undefined) {
      recorder?.response(message);
      recorder?.request(taken);
      daemon.answer(taken);
      return true;
    }
    for (const one of reports) {
      const answer = one.take(message);
      if (answer === undefined) continue;
      daemon.answer(answer);
      return true;
    }
    const converting = conversion?.response(message);
    if (converting === undefined) return false;
    // It may fail while an earlier one still runs.
    converting.catch(() => {});
    const queued = queueItem(QUEUE);
    conversions = conversions.then(async () => {
      queued.begin();
      const converted = await converting;
      if (converted.to === "daemon") return daemon.answer(converted.message);
      xdsResponses.inc();
      recorder?.response(converted.message);
      observer.response(converted.message);
      call.send(converted.message);
    }).catch(() => {
      internalErrors.inc();
      daemon.close();
    }).finally(queued.end);
    return true;
  };
}

/**
 * Forwards from the proxy to the daemon, with back-pressure; after the first message, which has the
 * node, subscribes and calls `began`.
 */
async function forward(
  { messages, recorder, observer }: Downstream,
  upstream: RpcStream,
  { interception, conversion }: StreamOptions,
  began: () => void,
): Promise<void> {
  let isFirst = true;
  for await (const message of messages) {
    xdsRequests.inc();
    conversion?.request(message);
    recorder?.request(message);
    observer.request(message);
    let ready = upstream.send(message);
    if (isFirst) {
      isFirst = false;
      for (const request of interception.requests()) {
        recorder?.request(request);
        ready = upstream.send(request) && ready;
      }
      began();
    }
    if (!ready) await upstream.drained();
  }
  upstream.end();
}

/** Forwards from the daemon to the proxy, with back-pressure, except what `take` takes. */
async function back(
  { call, recorder, observer }: Downstream,
  upstream: RpcStream,
  take: (message: Uint8Array) => boolean,
): Promise<void> {
  for await (const message of upstream.messages) {
    if (take(message)) continue;
    xdsResponses.inc();
    recorder?.response(message);
    observer.response(message);
    const ready = call.send(message);
    await observer.taken(ready ? undefined : call.drained());
  }
}

/** Passes on the daemon's status, so that the proxy logs it and applies its own back-off. */
function lost(error: unknown): RpcError {
  daemonTerminations.inc();
  log.warn("the stream to the daemon ended", { reason: messageOf(error) });
  if (!(error instanceof RpcError)) internalErrors.inc();
  return error instanceof RpcError
    ? error
    : new RpcError("UNAVAILABLE", "the connection to the daemon failed", { cause: error });
}
