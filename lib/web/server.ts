import type { IncomingMessage, ServerResponse } from "node:http";
import { scope } from "../log/mod.ts";
import { counter } from "../metrics/mod.ts";
import { formatAddress, isLoopback, type ListenAddress, parseAddress } from "./address.ts";
import { BodyError, readBody } from "./body.ts";
import { send, toRequest } from "./exchange.ts";
import { isLocalHost } from "./host.ts";
import { type ConnectionLimits, listen } from "./listener.ts";
import { text } from "./respond.ts";
import { type Handler, matchRoute, type Route, type WebCall } from "./route.ts";

const log = scope("default");
const refused = counter({
  name: "mesh_web_refused_requests_total",
  help: "HTTP requests and connections that were refused, by what was wrong with them.",
  labels: ["listener", "reason"],
});

/** Bounds of a listener. */
export interface WebLimits extends ConnectionLimits {
  readonly maxBodyBytes: number;
  /** Time for a handler, and again for sending what it answered. */
  readonly handlerTimeoutMs: number;
}

const DEFAULT_LIMITS: WebLimits = {
  maxHeaderBytes: 16_384,
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 30_000,
  maxConnections: 512,
  maxBodyBytes: 1_048_576,
  handlerTimeoutMs: 30_000,
};

/** What a listener needs. */
export interface WebOptions {
  /** `host:port` or `:port`. */
  readonly address: string;
  readonly routes: readonly Route[];
  /** What the listener is for, in messages and metrics; for example `debug`. */
  readonly name: string;
  readonly limits?: Partial<WebLimits>;
}

/** A running listener. */
export interface WebServer {
  /** Where it is bound; with port 0 asked for, the port it got. */
  readonly address: ListenAddress;
  /** Takes no more requests, waits for those under way, and cuts them off after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** What all requests of a listener share. */
interface Serving {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly limits: WebLimits;
  /** Bound to loopback only: answers requests only that name this machine. */
  readonly loopback: boolean;
}

/**
 * Starts an HTTP listener. Bound to loopback, it answers only requests whose `Host` is this
 * machine.
 *
 * @throws {MeshError} `address-invalid`, or `listen-failed` naming the address and the remedy.
 */
export async function startWeb(options: WebOptions): Promise<WebServer> {
  const { name, routes } = options;
  const wanted = parseAddress(options.address);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const serving: Serving = { name, routes, limits, loopback: isLoopback(wanted.hostname) };
  const listener = await listen(
    wanted,
    `${options.address} (${name})`,
    limits,
    (message, response) => void exchange(serving, message, response),
    (reason) => refused.inc({ listener: name, reason }),
  );
  log.debug("listening", { listener: name, address: formatAddress(listener.address) });
  return listener;
}

/** One request from its headers to the last byte of its answer; never rejects. */
async function exchange(
  serving: Serving,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort(new DOMException("the client left", "AbortError")));
  response.on("error", () => gone.abort(new DOMException("the client left", "AbortError")));
  try {
    const answer = await answerTo(serving, message, gone.signal);
    // What was not read of the body would be taken for the next request.
    if (!message.complete) response.setHeader("connection", "close");
    const { handlerTimeoutMs } = serving.limits;
    await withDeadline(handlerTimeoutMs, gone.signal, (signal) => send(answer, response, signal));
  } catch (error) {
    if (!gone.signal.aborted) log.error("answer failed", { listener: serving.name, error });
    response.destroy();
  }
}

async function answerTo(
  serving: Serving,
  message: IncomingMessage,
  gone: AbortSignal,
): Promise<Response> {
  const request = toRequest(message);
  if (request === undefined) return refuse(serving, 400, "malformed", "the request is malformed");
  const named = isLocalHost(request.headers.get("host"));
  if (serving.loopback && !named) {
    return refuse(serving, 403, "host", "this listener answers to local host names only");
  }
  const url = new URL(request.url);
  const match = matchRoute(serving.routes, request.method, url.pathname);
  if (match.kind === "none") return text("not found\n", { status: 404 });
  if (match.kind === "method") {
    const headers = { allow: match.allow.join(", ") };
    return text("method not allowed\n", { status: 405, headers });
  }
  const peer = peerOf(message);
  const local = named && isLoopback(peer.hostname);
  const body = () => readBody(message, serving.limits.maxBodyBytes);
  return await handle(serving, match.handler, gone, {
    request,
    url,
    params: match.params,
    peer,
    local,
    body,
  });
}

async function handle(
  serving: Serving,
  handler: Handler,
  gone: AbortSignal,
  call: Omit<WebCall, "signal">,
): Promise<Response> {
  try {
    return await withDeadline(
      serving.limits.handlerTimeoutMs,
      gone,
      async (signal) => await handler({ ...call, signal }),
    );
  } catch (error) {
    if (error instanceof BodyError) return refuse(serving, error.status, "body", error.message);
    if (error instanceof DOMException && error.name === "TimeoutError") {
      return refuse(serving, 503, "timeout", "the request took too long");
    }
    const path = call.url.pathname;
    if (!gone.aborted) log.error("request failed", { listener: serving.name, path, error });
    return text("internal error\n", { status: 500 });
  }
}

/** Does `work` with a signal, and rejects when the time is over or `gone` is aborted. */
async function withDeadline<T>(
  ms: number,
  gone: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  gone.throwIfAborted();
  const ending = new AbortController();
  const over = Promise.withResolvers<never>();
  const end = (reason: unknown) => {
    ending.abort(reason);
    over.reject(reason);
  };
  const onGone = () => end(gone.reason);
  gone.addEventListener("abort", onGone, { once: true });
  const timer = setTimeout(() => end(new DOMException("took too long", "TimeoutError")), ms);
  try {
    return await Promise.race([work(ending.signal), over.promise]);
  } finally {
    clearTimeout(timer);
    gone.removeEventListener("abort", onGone);
  }
}

function refuse(serving: Serving, status: number, reason: string, sentence: string): Response {
  refused.inc({ listener: serving.name, reason });
  // Whoever sends what cannot be answered is not worth a connection.
  return text(`${sentence}\n`, { status, headers: { connection: "close" } });
}

function peerOf({ socket }: IncomingMessage): ListenAddress {
  const hostname = (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
  return { hostname, port: socket.remotePort ?? 0 };
}
