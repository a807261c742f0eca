/**
 * The listeners of the DNS proxy, UDP and TCP.
 *
 * @module
 */
import { createSocket, type Socket } from "node:dgram";
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { readQuery, truncatedReply } from "./message.ts";
import type { SourceLimit } from "./source_limit.ts";
import { readMessage, writeMessage } from "./stream.ts";
import type { Resolver } from "./answers.ts";

/** Options of {@link listenDns}. */
export interface ListenOptions {
  /** Addresses; those after the first may be missing on the host. */
  readonly hosts: readonly string[];
  /** 0: any free port, the same for UDP and TCP. */
  readonly port: number;
  readonly resolve: Resolver;
  /** Limit of answers over UDP; default: none. */
  readonly limit?: SourceLimit;
  /** Connections at the same time; more are closed. */
  readonly maxConnections?: number;
  /** Time for a query to arrive on a connection, ms. */
  readonly idle?: number;
}

/** Open listeners. */
export interface DnsListeners {
  readonly port: number;
  stop(): Promise<void>;
}

/** A query over TCP has one name and a few options. */
const MAX_QUERY_BYTES = 4096;
const MAX_CONNECTIONS = 256;
const IDLE_MS = 10_000;

const log = scope("dns");

/**
 * Opens the listeners.
 *
 * @throws {MeshError} `dns-listen` when the first address cannot be used
 */
export async function listenDns(options: ListenOptions): Promise<DnsListeners> {
  const stack = new AsyncDisposableStack();
  let port = options.port;
  try {
    for (const [i, host] of options.hosts.entries()) {
      try {
        const listener = Deno.listen({ hostname: host, port, transport: "tcp" });
        port = listener.addr.port;
        const accepting = accept(listener, options);
        stack.defer(async () => {
          listener.close();
          await accepting;
        });
        const socket = await bindUdp(host, port, options);
        stack.defer(() => new Promise((done) => socket.close(() => done())));
      } catch (error) {
        if (i === 0) throw error;
        log.debug("the DNS proxy does not listen here", { host, reason: messageOf(error) });
      }
    }
    return { port, stop: () => stack.disposeAsync() };
  } catch (cause) {
    await stack.disposeAsync();
    throw new MeshError(
      "dns-listen",
      `the DNS proxy cannot listen on ${options.hosts[0]} port ${port}: ${messageOf(cause)}`,
      { remedy: "Set DNS_PROXY_ADDR to a free address; ports below 1024 need root.", cause },
    );
  }
}

function bindUdp(host: string, port: number, options: ListenOptions): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = createSocket({ type: host.includes(":") ? "udp6" : "udp4", ipv6Only: true });
    socket.once("error", fail);
    socket.on("message", (message: Uint8Array, from) => {
      void answerUdp(socket, message, from, options);
    });
    socket.bind(port, host, () => {
      socket.removeListener("error", fail);
      socket.on("error", (error) => log.debug("a UDP error", { reason: error.message }));
      done(socket);
    });
  });
}

async function answerUdp(
  socket: Socket,
  message: Uint8Array,
  from: { readonly address: string; readonly port: number },
  { resolve, limit }: ListenOptions,
): Promise<void> {
  try {
    const verdict = limit?.(from.address) ?? "answer";
    if (verdict === "drop") return;
    const answer = verdict === "truncate"
      ? truncated(message)
      : await resolve(message, { tcp: false, port: from.port });
    if (answer !== undefined) socket.send(answer, from.port, from.address);
  } catch (error) {
    log.debug("a query could not be answered", { reason: messageOf(error) });
  }
}

function truncated(message: Uint8Array): Uint8Array | undefined {
  const query = readQuery(message);
  return "kind" in query ? undefined : truncatedReply(query);
}

/** Serves connections until the listener is closed; then ends them. */
async function accept(listener: Deno.TcpListener, options: ListenOptions): Promise<void> {
  const { maxConnections = MAX_CONNECTIONS } = options;
  const open = new Set<Deno.TcpConn>();
  const served = new Set<Promise<void>>();
  for await (const connection of listener) {
    if (open.size >= maxConnections) {
      connection.close();
      continue;
    }
    open.add(connection);
    const done = serve(connection, options).catch((error: unknown) => {
      log.debug("a connection ended", { reason: messageOf(error) });
    }).finally(() => {
      if (open.delete(connection)) connection.close();
      served.delete(done);
    });
    served.add(done);
  }
  for (const connection of open) {
    open.delete(connection);
    connection.close();
  }
  await Promise.all(served);
}

/** Answers the queries of a connection one after the other. */
async function serve(connection: Deno.TcpConn, options: ListenOptions): Promise<void> {
  const { port } = connection.remoteAddr as Deno.NetAddr;
  while (true) {
    const message = await timely(readMessage(connection, MAX_QUERY_BYTES), options.idle ?? IDLE_MS);
    if (message === undefined) return;
    const answer = await options.resolve(message, { tcp: true, port });
    if (answer === undefined) return;
    await timely(writeMessage(connection, answer), options.idle ?? IDLE_MS);
  }
}

async function timely<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the client is too slow")), ms);
  });
  // The connection is closed after a timeout, which ends the operation that lost the race.
  promise.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
