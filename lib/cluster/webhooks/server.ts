/**
 * The HTTPS listener of the webhooks. Its certificate is changed without closing connections.
 *
 * @module
 */
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import type { Socket } from "node:net";
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { intervalLogger, scope } from "../../kit/log/mod.ts";
import { formatAddress, type ListenAddress, parseAddress } from "../../kit/web/mod.ts";
import { type BodyBounds, type BodyMemory, boundBodies } from "./bodies.ts";
import {
  type BoundConnection,
  boundConnections,
  CONNECTION_BOUNDS,
  type ConnectionBounds,
  type Connections,
} from "./connections.ts";
import { refusedRequests } from "./metrics.ts";
import { createTurns } from "./turns.ts";

const log = scope("default");

/** Objects have at most 1.5 MiB, a review has the old and the new one. */
const BODY_BOUNDS: BodyBounds = { one: 8 << 20, all: 64 << 20 };
/** Time between two checks of the time limits, milliseconds. */
const SWEEP_MS = 500;

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
  readonly bounds?: Partial<ConnectionBounds & { readonly bodies: BodyBounds }>;
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
  const { bodies = BODY_BOUNDS, ...bounds } = options.bounds ?? {};
  const now = () => performance.now();
  const connections = boundConnections({ ...CONNECTION_BOUNDS, ...bounds }, now);
  const track = trackSockets(connections);
  const handler = createHandler({ answer: options.answer, bodies, connectionOf: track.of });
  const server = createServer({ ...options.certificate, minVersion: "TLSv1.2" }, handler);
  server.on("connection", track.accepted);
  server.on("secureConnection", track.secured);
  server.on("tlsClientError", (error: Error) => {
    log.debug("a connection failed in its handshake", { reason: messageOf(error) });
  });
  const bound = await bind(server, { hostname, port }, options.address);
  const sweeper = setInterval(() => connections.sweep(), SWEEP_MS);
  log.debug("listening", { listener: "https", address: formatAddress(bound) });
  return {
    address: bound,
    setCertificate: (certificate) => server.setSecureContext({ ...certificate }),
    stop: async (graceMs) => {
      await stop(server, connections, graceMs);
      clearInterval(sweeper);
    },
  };
}

const warning = intervalLogger(log);

/** Counts and logs a refusal. */
function refuse(reason: "bodies" | "connections" | "malformed", address: string): void {
  refusedRequests.inc({ reason });
  warning(`${address} ${reason}`)?.warn("refused a caller of the webhooks", { reason, address });
}

interface SocketTracker {
  accepted(socket: Socket): void;
  secured(socket: TLSSocket): void;
  /** The connection of a socket after its handshake. */
  of(socket: Socket): BoundConnection | undefined;
}

/** Brings sockets within the bounds: from the moment of their acceptance, and after the handshake. */
function trackSockets(connections: Connections): SocketTracker {
  const peers = new Map<string, BoundConnection>();
  const enter = (socket: Socket): BoundConnection | undefined => {
    const peer = peerOf(socket);
    const address = addressOf(socket);
    const connection = connections.enter(address, () => socket.destroy());
    if (connection === undefined) {
      refuse("connections", address);
      return void socket.destroy();
    }
    peers.set(peer, connection);
    leaveWith(socket, peer, connection);
    return connection;
  };
  const leaveWith = (socket: Socket, peer: string, connection: BoundConnection) => {
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      connection.left();
      if (peers.get(peer) === connection) peers.delete(peer);
    });
  };
  return {
    accepted: (socket) => void enter(socket),
    secured(socket) {
      const peer = peerOf(socket);
      const connection = peers.get(peer);
      if (connection === undefined) return void enter(socket);
      connection.cutBy(() => socket.destroy());
      leaveWith(socket, peer, connection);
    },
    of: (socket) => peers.get(peerOf(socket)),
  };
}

function addressOf({ remoteAddress = "" }: Socket): string {
  return remoteAddress.replace(/^::ffff:(?=\d+\.)/, "");
}

function peerOf(socket: Socket): string {
  return `${addressOf(socket)} ${socket.remotePort}`;
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
    server.on("error", (error: Error) => log.error("the listener failed", { error }));
    resolve({ hostname: address.hostname, port });
  });
  return promise;
}

async function stop(server: Server, connections: Connections, graceMs: number): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()));
  server.closeIdleConnections?.();
  const timer = setTimeout(() => {
    connections.cutAll();
    server.closeAllConnections?.();
  }, graceMs);
  await closed;
  clearTimeout(timer);
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

interface HandlerInput {
  readonly answer: HttpsOptions["answer"];
  readonly bodies: BodyBounds;
  readonly connectionOf: (socket: Socket) => BoundConnection | undefined;
}

/** Reads the body within the limits, and answers. One connection has one request at a time. */
function createHandler({ answer, bodies: bounds, connectionOf }: HandlerInput): Handler {
  const bodies = boundBodies(bounds);
  const turns = createTurns(() => performance.now());
  const busy = new WeakSet<object>();
  return async (request, response) => {
    const { socket } = request;
    const connection = connectionOf(socket);
    // Pipelined requests would be kept without a bound.
    if (connection === undefined || busy.has(socket)) return void socket.destroy();
    busy.add(socket);
    connection.enter("receiving");
    const { address } = connection;
    const memory = bodies.begin(address, () => {
      refuse("bodies", address);
      socket.destroy();
    });
    try {
      const read = await readRequest(request, memory);
      if (typeof read === "number") {
        refuse(read === 400 ? "malformed" : "bodies", address);
        return send(response, { status: read }, true);
      }
      connection.enter("answering");
      send(response, await turns.run(address, () => answer(read)), false);
      connection.enter("idle");
    } catch (error) {
      log.error("a request failed", { reason: messageOf(error) });
      if (!response.headersSent) send(response, { status: 500 }, true);
    } finally {
      memory.free();
      busy.delete(socket);
    }
  };
}

/** The request with its body, or the status that refuses it. */
async function readRequest(
  request: IncomingMessage,
  memory: BodyMemory,
): Promise<HttpsRequest | number> {
  const parts: Uint8Array[] = [];
  const { method = "GET", headers } = request;
  try {
    for await (const part of request) {
      const refused = memory.take(part.byteLength);
      if (refused !== undefined) return refused;
      parts.push(part);
    }
    const body = new TextDecoder("utf-8", { fatal: true }).decode(joined(parts));
    const segments = segmentsOf(request.url ?? "/");
    if (segments === undefined) return 400;
    return { method, segments, contentType: headers["content-type"] ?? "", body };
  } catch {
    return 400;
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
  if (response.destroyed) return;
  response.writeHead(status, {
    "content-type": contentType,
    ...close && { connection: "close" },
  });
  response.end(body);
}
