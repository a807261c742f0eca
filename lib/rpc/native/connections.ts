/**
 * The connections of a server over the own HTTP/2: begin, keepalive, age, end.
 *
 * @module
 */
import type { Socket } from "node:net";
import { scope } from "../../log/mod.ts";
import { type Connection, type ConnectionOptions, createConnection } from "../h2/mod.ts";
import { openListener, peerOf } from "../listen.ts";
import type { RpcKeepalive, RpcOptions, RpcServer } from "../options.ts";
import { createYielding, type Yielding } from "../yielding.ts";

const log = scope("grpc");

/** Longest time a timer can hold; a connection age beyond it means no limit. */
const TIMER_MAX_MS = 2 ** 31 - 1;
/**
 * Time that reading from all connections takes in a round of the event loop, ms. After a restart
 * hundreds of clients send their state at once, and the system hands over all of it in one go.
 */
const READ_MS = 3;
/** Bytes a client may send on a stream before it is read. */
const WINDOW = 256 * 1024;

type Accept = NonNullable<ConnectionOptions["accept"]>;

/** What the connections of a server share. */
interface Context {
  readonly options: RpcOptions;
  readonly accept: (peer: string) => Accept;
  readonly connections: Set<Connection>;
  readonly yielding: Yielding;
}

/** Listens, and serves each connection; `accept` gives the function that accepts its streams. */
export async function serveConnections(
  options: RpcOptions,
  accept: (peer: string) => Accept,
): Promise<RpcServer> {
  const connections = new Set<Connection>();
  const yielding = createYielding({ sliceMs: READ_MS, now: () => performance.now() });
  const context: Context = { options, accept, connections, yielding };
  const listener = await openListener(options.address, (socket) => serve(context, socket));
  return {
    address: listener.address,
    port: listener.port,
    async stop(graceMs) {
      const timer = setTimeout(() => {
        for (const connection of connections) connection.destroy();
      }, graceMs);
      const closed = listener.close();
      for (const connection of connections) connection.retire();
      await closed;
      clearTimeout(timer);
    },
  };
}

function serve({ options, accept, connections, yielding }: Context, socket: Socket): void {
  const { limits, keepalive } = options;
  socket.setNoDelay(true);
  const peer = peerOf(socket);
  const age = agePolicy(keepalive, () => connection);
  const connection: Connection = createConnection({
    role: "server",
    socket,
    maxStreams: limits.maxStreams,
    window: WINDOW,
    keepalive,
    yielding,
    accept: accept(peer),
    closed(error) {
      connections.delete(connection);
      age.stop();
      if (error) log.debug("a connection ended", { peer, reason: error.message });
    },
  });
  connections.add(connection);
}

/** Sends GOAWAY on an old connection, its age spread by a tenth, and cuts it after the grace time. */
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
