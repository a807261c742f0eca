/**
 * The HTTPS listener of the webhooks. Its certificate is changed without closing connections.
 *
 * @module
 */
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { MeshError, messageOf } from "../base/mod.ts";
import { scope } from "../log/mod.ts";
import { formatAddress, type ListenAddress, parseAddress } from "../web/mod.ts";

const log = scope("default");

/** Largest body, in bytes: objects have at most 1.5 MiB, a review has the old and the new one. */
const MAX_BODY_BYTES = 8 << 20;
/** Bytes of the bodies of all requests in progress. */
const MAX_PENDING_BYTES = 64 << 20;
/** Largest time for a request, in milliseconds: the API server waits at most 30 s. */
const REQUEST_MS = 30_000;
const HEADERS_MS = 10_000;
const IDLE_MS = 75_000;
const MAX_CONNECTIONS = 512;

/** Certificate and key, PEM. */
export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A request with its whole body. */
export interface HttpsRequest {
  readonly method: string;
  /** Decoded segments of the path. */
  readonly segments: readonly string[];
  readonly contentType: string;
  readonly body: string;
}

/** An answer. */
export interface HttpsAnswer {
  readonly status: number;
  readonly contentType?: string;
  readonly body?: string;
}

/** Dependencies of the listener. */
export interface HttpsOptions {
  /** `host:port` or `:port`. */
  readonly address: string;
  readonly certificate: ServerCertificate;
  readonly answer: (request: HttpsRequest) => Promise<HttpsAnswer>;
}

/** A running listener. */
export interface HttpsServer {
  readonly address: ListenAddress;
  /** Changes the certificate of new connections. */
  setCertificate(certificate: ServerCertificate): void;
  /** Takes no more connections, and closes those that are there after `graceMs` milliseconds. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Binds and serves.
 *
 * @throws MeshError `listen-failed`
 */
export async function startHttps(options: HttpsOptions): Promise<HttpsServer> {
  const { hostname, port } = parseAddress(options.address);
  const handler = createHandler(options.answer);
  const server = createServer({ ...options.certificate, minVersion: "TLSv1.2" }, handler);
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  server.keepAliveTimeout = IDLE_MS;
  server.maxConnections = MAX_CONNECTIONS;
  const sockets = new Set<TLSSocket>();
  server.on("secureConnection", (socket: TLSSocket) => {
    if (sockets.size >= MAX_CONNECTIONS) return void socket.destroy();
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.setTimeout(IDLE_MS, () => socket.destroy());
  });
  server.on("tlsClientError", (error: Error) => {
    log.debug("a connection failed in its handshake", { reason: messageOf(error) });
  });
  const bound = await bind(server, { hostname, port }, options.address);
  log.debug("listening", { listener: "https", address: formatAddress(bound) });
  return {
    address: bound,
    setCertificate: (certificate) => server.setSecureContext({ ...certificate }),
    stop: (graceMs) => stop(server, sockets, graceMs),
  };
}

function bind(server: Server, address: ListenAddress, given: string): Promise<ListenAddress> {
  const { promise, resolve, reject } = Promise.withResolvers<ListenAddress>();
  server.once("error", (cause) => {
    reject(
      new MeshError("listen-failed", `cannot listen on ${given} (https): ${messageOf(cause)}`, {
        remedy: "End the process that has the address, or choose another one.",
        cause,
      }),
    );
  });
  server.listen(address.port, address.hostname, () => {
    const bound = server.address();
    const port = typeof bound === "object" && bound !== null ? bound.port : address.port;
    server.on("error", (error) => log.error("the listener failed", { error }));
    resolve({ hostname: address.hostname, port });
  });
  return promise;
}

async function stop(server: Server, sockets: Set<TLSSocket>, graceMs: number): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()));
  server.closeIdleConnections?.();
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections?.();
  }, graceMs);
  await closed;
  clearTimeout(timer);
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Reads the body within the limits, and answers. One connection has one request at a time. */
function createHandler(answer: HttpsOptions["answer"]): Handler {
  const pending = { bytes: 0 };
  const busy = new WeakSet<object>();
  return async (request, response) => {
    const { socket } = request;
    // Pipelined requests would be kept without a bound.
    if (busy.has(socket)) return void socket.destroy();
    busy.add(socket);
    const used = { bytes: 0 };
    try {
      const body = await readBody(request, (bytes) => {
        used.bytes += bytes;
        pending.bytes += bytes;
        if (used.bytes > MAX_BODY_BYTES) return 413;
        return pending.bytes > MAX_PENDING_BYTES ? 503 : undefined;
      });
      if (typeof body === "number") return send(response, { status: body }, true);
      const segments = segmentsOf(request.url ?? "/");
      if (segments === undefined) return send(response, { status: 400 }, true);
      const { method = "GET", headers } = request;
      const contentType = headers["content-type"] ?? "";
      send(response, await answer({ method, segments, contentType, body }), false);
    } catch (error) {
      log.error("a request failed", { reason: messageOf(error) });
      if (!response.headersSent) send(response, { status: 500 }, true);
    } finally {
      pending.bytes -= used.bytes;
      busy.delete(socket);
    }
  };
}

/** The body, or the status that refuses it. */
async function readBody(
  request: IncomingMessage,
  take: (bytes: number) => number | undefined,
): Promise<string | number> {
  const timer = setTimeout(() => request.destroy(), REQUEST_MS);
  const parts: Uint8Array[] = [];
  try {
    for await (const part of request) {
      const refused = take(part.byteLength);
      if (refused !== undefined) return refused;
      parts.push(part);
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(joined(parts));
  } catch {
    return 400;
  } finally {
    clearTimeout(timer);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, one) => sum + one.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

function segmentsOf(url: string): string[] | undefined {
  try {
    return url.split("?")[0]!.split("/").slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function send(
  response: ServerResponse,
  { status, contentType = "text/plain", body = "" }: HttpsAnswer,
  close: boolean,
): void {
  response.writeHead(status, {
    "content-type": contentType,
    ...close && { connection: "close" },
  });
  response.end(body);
}
