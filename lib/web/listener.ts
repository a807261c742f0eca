/**
 * The socket side of a listener. `node:http` and not `Deno.serve`: the latter has no limit on the
 * time that headers may take or on connections, and cannot cut connections off after a graceful
 * stop was begun.
 *
 * @module
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { MeshError, messageOf } from "../base/mod.ts";
import type { ListenAddress } from "./address.ts";

/** Bounds of the connections themselves. */
export interface ConnectionLimits {
  /** Size of a request's line and headers. */
  readonly maxHeaderBytes: number;
  /** From a connection's start, or the end of its last request, to the end of the headers. */
  readonly headersTimeoutMs: number;
  /** From a request's first byte to the last one of its body. */
  readonly requestTimeoutMs: number;
  /** Connections at one time; further ones are closed as they come. */
  readonly maxConnections: number;
}

/** A bound socket. */
export interface Listener {
  readonly address: ListenAddress;
  /** See `WebServer.stop`. */
  stop(graceMs: number): Promise<void>;
}

/** Idle connections are kept for longer than scrapers usually wait between two requests. */
const KEEP_ALIVE_MS = 65_000;
const CHECK_EVERY_MS = 500;

/**
 * Binds and serves.
 *
 * @param where how the user named the address and what it is for, for the message
 * @param onRefused called with a short reason when a request never reaches `onRequest`
 * @throws {MeshError} `listen-failed`
 */
export async function listen(
  address: ListenAddress,
  where: string,
  limits: ConnectionLimits,
  onRequest: (message: IncomingMessage, response: ServerResponse) => void,
  onRefused: (reason: string) => void,
): Promise<Listener> {
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_EVERY_MS,
  }, onRequest);
  limitConnections(server, limits.maxConnections, onRefused);
  server.on("clientError", (error: Error & { code?: string }, socket: Socket) => {
    onRefused(answerBroken(socket, error.code ?? ""));
  });
  await bind(server, address, where);
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new TypeError("not a TCP listener");
  return {
    address: { hostname: bound.address, port: bound.port },
    stop: (graceMs) => stop(server, graceMs),
  };
}

/** Counted here, because the runtime's own limit closes connections without telling. */
function limitConnections(server: Server, most: number, onRefused: (reason: string) => void): void {
  let open = 0;
  server.on("connection", (socket: Socket) => {
    open++;
    socket.once("close", () => open--);
    if (open <= most) return;
    onRefused("connections");
    socket.destroy();
  });
}

/** Answers what could not be parsed as a request; gives the reason for the metric. */
function answerBroken(socket: Socket, code: string): string {
  const [status, reason] = code === "HPE_HEADER_OVERFLOW"
    ? ["431 Request Header Fields Too Large", "headers"]
    : code === "ERR_HTTP_REQUEST_TIMEOUT"
    ? ["408 Request Timeout", "timeout"]
    : ["400 Bad Request", "malformed"];
  if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
  else socket.destroy();
  return reason;
}

async function bind(server: Server, address: ListenAddress, where: string): Promise<void> {
  try {
    await listenOn(server, address);
  } catch (cause) {
    const noV6 = address.hostname === "::" && codeOf(cause) === "EAFNOSUPPORT";
    if (!noV6) throw bindError(where, cause);
    // All addresses were asked for, on a machine without IPv6.
    await listenOn(server, { hostname: "0.0.0.0", port: address.port }).catch((second) => {
      throw bindError(where, second);
    });
  }
}

function listenOn(server: Server, { hostname, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, hostname, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function bindError(where: string, cause: unknown): MeshError {
  const [why, remedy] = bindFault(cause);
  return new MeshError("listen-failed", `cannot listen on ${where}: ${why}`, { remedy, cause });
}

function bindFault(cause: unknown): [why: string, remedy: string] {
  const code = codeOf(cause);
  if (code === "EADDRINUSE") {
    return ["the address is in use", "End the process that has it, or choose another address."];
  }
  if (code === "EACCES" || cause instanceof Deno.errors.NotCapable) {
    return [
      "it is not permitted",
      "Choose a port above 1023, or give the program the right to it.",
    ];
  }
  return [messageOf(cause), "Choose an address of this machine."];
}

async function stop(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}
