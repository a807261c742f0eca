/**
 * The connections of a server over Mesh's HTTP/2: begin, shares and bounds, age, end.
 *
 * @module
 */
import type { Socket } from "node:net";
import { scope } from "../../log/mod.ts";
import { type Budget, createBudget, type Holder } from "../budget.ts";
import { createGate, type Gate, gateLimits } from "../gate.ts";
import {
  type Connection,
  type ConnectionObserver,
  type ConnectionOptions,
  createConnection,
  H2Error,
} from "../h2/mod.ts";
import { certificatesOf, isSecure, openListener, peerOf } from "../listen.ts";
import {
  DEFAULT_BOUNDS,
  type RpcBounds,
  type RpcKeepalive,
  type RpcOptions,
  type RpcServer,
} from "../options.ts";
import { refused } from "../refused.ts";
import { createTurns, type Turns } from "../turns.ts";
import type { Peer } from "./call.ts";

const log = scope("grpc");

/** Longest time a timer can hold, ms; a connection age beyond it means no limit. */
const TIMER_MAX_MS = 2 ** 31 - 1;
/**
 * Time that reading from all connections takes in a round of the event loop, ms. After a restart
 * hundreds of clients send their state at once, and the system hands over all of it in one go.
 */
const READ_MS = 3;
/** Time that reading from one connection takes before it is another one's turn, ms. */
const TURN_MS = 0.5;
/** Bytes a client may send on a stream before it is read. */
const WINDOW = 64 * 1024;
/** Limit of the input in memory for one connection: bytes, or messages if these are larger. */
const MAX_HELD = 16 * 1024 * 1024;
const MAX_HELD_MESSAGES = 4;
/** Messages that the memory of all connections must have room for. */
const MIN_MESSAGES = 8;

type Accept = NonNullable<ConnectionOptions["accept"]>;

/** State that the connections of a server share. */
interface Context {
  readonly options: RpcOptions;
  readonly bounds: RpcBounds;
  readonly accept: (peer: Peer) => Accept;
  readonly connections: Set<Connection>;
  readonly gate: Gate;
  readonly budget: Budget;
  readonly turns: Turns;
}

/** Listens, and serves each connection; `accept` gives the function that accepts its streams. */
export async function serveConnections(
  options: RpcOptions,
  accept: (peer: Peer) => Accept,
): Promise<RpcServer> {
  const context = newContext(options, accept);
  const { connections, gate } = context;
  const listener = await openListener(
    options.address,
    (socket) => serve(context, socket),
    options.tls,
    gateLimits(context.bounds),
  );
  return {
    address: listener.address,
    port: listener.port,
    setTls: listener.setTls,
    async stop(graceMs) {
      const timer = setTimeout(() => {
        for (const connection of connections) connection.destroy();
      }, graceMs);
      const closed = listener.close();
      for (const connection of connections) connection.retire();
      await closed;
      clearTimeout(timer);
      gate.close();
    },
  };
}

function newContext(options: RpcOptions, accept: (peer: Peer) => Accept): Context {
  const bounds = { ...DEFAULT_BOUNDS, ...options.bounds };
  return {
    options,
    bounds,
    accept,
    connections: new Set(),
    gate: createGate(gateLimits(bounds)),
    budget: createBudget(Math.max(bounds.memory, MIN_MESSAGES * options.limits.maxReceive)),
    turns: createTurns({ roundMs: READ_MS, turnMs: TURN_MS, now: () => performance.now() }),
  };
}

function serve(context: Context, socket: Socket): void {
  const { options, bounds, connections, gate, budget, turns } = context;
  const { limits, keepalive } = options;
  const name = peerOf(socket);
  const visitor = gate.enter(name, () => connection.destroy());
  if (!visitor) return void socket.destroy();
  socket.setNoDelay(true);
  const observer: ConnectionObserver = {
    get party() {
      return visitor.party;
    },
    refused: (reason) => refused(reason, name),
    admitted: visitor.admitted,
    held: budget.change,
  };
  const peer: Peer = {
    name,
    certificates: certificatesOf(socket),
    secure: isSecure(socket),
    requested: visitor.requested,
    refused: observer.refused,
  };
  const age = agePolicy(keepalive, () => connection);
  const connection: Connection = createConnection({
    role: "server",
    socket,
    maxStreams: limits.maxStreams,
    maxUnadmitted: bounds.unadmittedStreams,
    maxHeld: Math.max(MAX_HELD, MAX_HELD_MESSAGES * limits.maxReceive),
    window: WINDOW,
    keepalive,
    turns,
    observer,
    accept: context.accept(peer),
    closed(error) {
      connections.delete(connection);
      budget.leave(holder);
      visitor.left();
      age.stop();
      if (error) logEnd(name, error);
    },
  });
  const holder: Holder = {
    get party() {
      return visitor.party;
    },
    get held() {
      return connection.held;
    },
    cut() {
      refused("memory", name);
      connection.destroy();
      budget.leave(holder);
    },
  };
  budget.join(holder);
  connections.add(connection);
}

/** Logs the end of a connection on an error; one that is neither the peer's nor the network's is ours. */
function logEnd(peer: string, error: Error): void {
  const isOurs = !(error instanceof H2Error) && error instanceof TypeError;
  if (isOurs) log.error("a connection failed", { peer, error });
  else log.debug("a connection ended", { peer, reason: error.message });
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
