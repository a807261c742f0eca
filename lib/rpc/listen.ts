/**
 * Sockets that are listened on, and the connections that come of it.
 *
 * @module
 */
import { createServer, type Server, type Socket } from "node:net";
import { scope } from "../log/mod.ts";
import { type Breath, breather } from "./breath.ts";
import { bindError, clearSocket, type ListenAddress, parseAddress } from "./address.ts";
import { type Connection, type ConnectionOptions, createConnection } from "./h2/mod.ts";

const log = scope("grpc");

/** Bounds of a server. */
export interface RpcLimits {
  /** Largest message taken from a client, bytes; a larger one ends its stream with RESOURCE_EXHAUSTED. */
  readonly maxReceive: number;
  /** Streams at the same time on one connection. */
  readonly maxStreams: number;
}

/** When a quiet or old connection is given up. All in milliseconds. */
export interface RpcKeepalive {
  /** Silence after which the client is pinged. */
  readonly interval: number;
  /** How long its answer may take. */
  readonly timeout: number;
  /** Age at which a connection is asked to go; beyond 24 days: never. */
  readonly maxAge?: number;
  /** How long its streams may then take to end (default 10 s). */
  readonly maxAgeGrace?: number;
}

/** Where a server listens, and within what bounds. */
export interface ListenOptions {
  /** `host:port`, `:port`, `[ipv6]:port` or `unix:/path`. */
  readonly address: string;
  readonly limits: RpcLimits;
  readonly keepalive: RpcKeepalive;
}

/** A running server. */
export interface RpcServer {
  /** Where it listens, with the real port: what a client's `target` may be when a host was named. */
  readonly address: string;
  /** The port; 0 for a Unix socket. */
  readonly port: number;
  /** Takes no more connections, lets the open streams end for so long, then cuts them. */
  stop(graceMs: number): Promise<void>;
}

/** Longest time a timer can hold; a connection age beyond it means no limit. */
const TIMER_MAX_MS = 2 ** 31 - 1;
/**
 * How long all connections together are read from in a round of the event loop, ms. Hundreds that come back
 * say what they hold at once, and the system hands over all of it in one go.
 */
const READ_MS = 3;
/** Bytes a client may send on a stream before it is read. */
const WINDOW = 256 * 1024;

type Accept = NonNullable<ConnectionOptions["accept"]>;

/** Connections the kernel keeps until they are taken: after a restart thousands come back at once. */
const BACKLOG = 4096;

/** Listens; `accept` is asked for each connection what to do with its streams. */
export async function listen(
  options: ListenOptions,
  accept: (peer: string) => Accept,
): Promise<RpcServer> {
  const address = parseAddress(options.address);
  if (address.kind === "unix") await clearSocket(address.path);
  const connections = new Set<Connection>();
  const breath = breather({ sliceMs: READ_MS, now: () => performance.now() });
  const server = createServer((socket) => serve(socket, options, accept, connections, breath));
  try {
    await bind(server, address);
  } catch (error) {
    throw bindError(options.address, error);
  }
  const bound = server.address();
  const port = typeof bound === "object" && bound ? bound.port : 0;
  return {
    address: address.kind === "unix" ? options.address : joined(address.host, port),
    port,
    stop: (graceMs) => stop(server, connections, graceMs),
  };
}

function joined(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Binds; without a host, to both families, or to IPv4 alone where the machine has no IPv6. */
async function bind(server: Server, address: ListenAddress): Promise<void> {
  if (address.kind === "unix") return await bindOnce(server, { path: address.path });
  if (address.host !== "") return await bindOnce(server, address);
  try {
    await bindOnce(server, { host: "::", port: address.port });
  } catch (error) {
    if (!/EAFNOSUPPORT|EADDRNOTAVAIL/.test(String(error))) throw error;
    await bindOnce(server, { host: "0.0.0.0", port: address.port });
  }
}

function bindOnce(
  server: Server,
  where: { path: string } | { host: string; port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ ...where, backlog: BACKLOG }, () => {
      server.off("error", reject);
      server.on("error", (error) => log.error("a listener failed", { error }));
      resolve();
    });
  });
}

function serve(
  socket: Socket,
  { limits, keepalive }: ListenOptions,
  accept: (peer: string) => Accept,
  connections: Set<Connection>,
  breath: Breath,
): void {
  socket.setNoDelay(true);
  const peer = peerOf(socket);
  const age = agePolicy(keepalive, () => connection);
  const connection: Connection = createConnection({
    role: "server",
    socket,
    maxStreams: limits.maxStreams,
    window: WINDOW,
    keepalive,
    breath,
    accept: accept(peer),
    closed(error) {
      connections.delete(connection);
      age.stop();
      if (error) log.debug("a connection ended", { peer, reason: error.message });
    },
  });
  connections.add(connection);
}

/** Asks a connection to go when it is old, give or take a tenth, and cuts it when it does not. */
function agePolicy(
  { maxAge = Infinity, maxAgeGrace = 10_000 }: RpcKeepalive,
  connection: () => Connection,
): { stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const age = maxAge * (0.9 + Math.random() * 0.2);
  if (age <= TIMER_MAX_MS) {
    timer = setTimeout(() => {
      connection().retire();
      timer = setTimeout(() => connection().destroy(), maxAgeGrace);
    }, age);
  }
  return { stop: () => clearTimeout(timer) };
}

function peerOf(socket: Socket): string {
  const { remoteAddress, remotePort } = socket;
  if (!remoteAddress) return "unix";
  return `${remoteAddress.replace(/^::ffff:(?=\d+\.)/, "")}:${remotePort}`;
}

function stop(server: Server, connections: Set<Connection>, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      for (const connection of connections) connection.destroy();
    }, graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    for (const connection of connections) connection.retire();
  });
}
