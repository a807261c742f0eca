/**
 * The front of a listener: accepts connections, bounds their number, rate and time, refuses what is
 * not HTTP/1, and relays the rest to the runtime's HTTP server, which has none of these limits.
 *
 * @module
 */
import { sleep } from "../async/mod.ts";
import type { ListenAddress } from "./address.ts";
import { Connection, type ConnectionFront } from "./connection.ts";
import { hasDescriptorsFor } from "./descriptors.ts";
import { ConnectionRates } from "./pace.ts";

/** Bounds of the connections. */
export interface ConnectionLimits {
  /** Connections at one time. A further one takes the place of one that is not in use. */
  readonly maxConnections: number;
  /** The same for the connections of one address. */
  readonly maxPerAddress: number;
  /** Bytes of unfinished headers of all connections. */
  readonly maxHeadBytes: number;
  /** Time in which the headers of a request must arrive, milliseconds. */
  readonly headersTimeoutMs: number;
  /** Time for which a connection is kept without a request, milliseconds. */
  readonly idleTimeoutMs: number;
  /** Time for a handler, milliseconds. */
  readonly handlerTimeoutMs: number;
  /** Time in which a client must take its answer, after that of the handler; milliseconds. */
  readonly sendTimeoutMs: number;
  /** Time in which a client elsewhere must take a piece of its answer, milliseconds. */
  readonly stallTimeoutMs: number;
}

/**
 * The reason for which a connection was closed or refused: no descriptor, too many connections, slow
 * or large headers, another protocol than HTTP/1, too many new connections, an answer not taken.
 */
export type ConnectionFault =
  | "accept"
  | "connections"
  | "headers"
  | "protocol"
  | "rate"
  | "stalled";

/** Dependencies of a front. */
export interface FrontOptions {
  readonly limits: ConnectionLimits;
  /** The address of the runtime's HTTP server. */
  server(): ListenAddress;
  /** A connection was closed or refused, or none could be accepted. */
  onFault(fault: ConnectionFault, peer: string): void;
}

/** Time between two checks of the time limits, milliseconds. */
const SWEEP_MS = 500;
/**
 * A connection gives way to others when for so long it had no request in progress, or its client
 * took nothing of an answer, milliseconds.
 */
const YIELDS_AFTER_MS = 250;
/** Time for a client to close its side after the server has closed its own, milliseconds. */
const CLOSING_MS = 1_000;
/** Connections that are accepted without a pause of a millisecond: about 8,000 a second. */
const ACCEPTS_IN_TURN = 16;
/** Connections that give way at a time when there is no descriptor. */
const DISPLACED_AT_ONCE = 8;
/** Connections that are opened to the server at a time. */
const MAX_OPENING = 8;
/** Pause while there is no descriptor, milliseconds. */
const RETRY_MS = 25;

/** Accepts and relays the connections of a listener. */
export class Front implements ConnectionFront {
  readonly #options: FrontOptions;
  readonly #listener: Deno.TcpListener;
  readonly #ofAddress = new Map<string, Set<Connection>>();
  readonly #ofPort = new Map<number, Connection>();
  readonly #opening = new Set<Connection>();
  readonly #running = new Set<Promise<void>>();
  readonly #rates = new ConnectionRates(() => performance.now());
  readonly #sweeping: ReturnType<typeof setInterval>;
  readonly #gone = Promise.withResolvers<void>();
  #displacing: Promise<void> | undefined;
  #open = 0;
  #ended = false;

  constructor(listener: Deno.TcpListener, options: FrontOptions) {
    this.#listener = listener;
    this.#options = options;
    this.#sweeping = setInterval(() => this.#sweep(), SWEEP_MS);
    void this.#accept();
  }

  /** The connection that the server sees under an address; undefined for those of others. */
  connectionOf({ hostname, port }: ListenAddress): Connection | undefined {
    const connection = this.#ofPort.get(port);
    const isOwn = hostname === this.#options.server().hostname && connection?.isClosed === false;
    return isOwn ? connection : undefined;
  }

  /** Closes connections whose clients take nothing, because others need their place. */
  closeStalled(): void {
    const now = performance.now();
    for (const connection of this.#connections()) {
      if (isStalled(connection, now)) this.#cut(connection, "stalled");
    }
  }

  /** Closes all connections, those with a request in progress after their answer. */
  finishAll(): void {
    for (const connection of this.#connections()) connection.finish();
  }

  /** Accepts no more, and closes all connections, at once after `graceMs` milliseconds. */
  async end(graceMs: number): Promise<void> {
    this.#ended = true;
    this.#listener.close();
    this.finishAll();
    const timer = setTimeout(() => {
      for (const connection of this.#connections()) connection.close();
    }, graceMs);
    if (this.#open > 0) await this.#gone.promise;
    clearTimeout(timer);
    clearInterval(this.#sweeping);
  }

  /** Resolves when nothing is left of the connections; the server must have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  async open(connection: Connection): Promise<Deno.TcpConn> {
    for (;;) {
      if (connection.isClosed) throw new Deno.errors.Interrupted("the client is gone");
      if (this.#opening.size >= MAX_OPENING) await sleep(1);
      else if (hasDescriptorsFor(this.#opening.size + 1)) break;
      else await this.#displace();
    }
    this.#opening.add(connection);
    try {
      const server = await Deno.connect({ ...this.#options.server() });
      const { port } = server.localAddr;
      if (!connection.isClosed) {
        this.#ofPort.set(port, connection);
        return server;
      }
      server.close();
    } catch (error) {
      this.#opening.delete(connection);
      throw error;
    }
    this.#opening.delete(connection);
    throw new Deno.errors.Interrupted("the client is gone");
  }

  accepted(connection: Connection): void {
    this.#opening.delete(connection);
  }

  grown(): void {
    const { maxHeadBytes } = this.#options.limits;
    const all = this.#connections();
    let sum = all.reduce((bytes, each) => bytes + each.headBytes, 0);
    while (sum > maxHeadBytes) {
      const largest = all.reduce((a, b) => b.headBytes > a.headBytes ? b : a);
      sum -= largest.headBytes;
      this.#cut(largest, "headers");
    }
  }

  refused({ peer }: Connection, reason: "headers" | "protocol"): void {
    this.#options.onFault(reason, peer.hostname);
  }

  closed(connection: Connection): void {
    const { hostname } = connection.peer;
    const siblings = this.#ofAddress.get(hostname);
    siblings?.delete(connection);
    if (siblings?.size === 0) this.#ofAddress.delete(hostname);
    this.#open--;
    if (this.#ended && this.#open === 0) this.#gone.resolve();
  }

  freed(port: number): void {
    this.#ofPort.delete(port);
  }

  #connections(): Connection[] {
    return this.#ofAddress.values().flatMap((connections) => connections).toArray();
  }

  async #accept(): Promise<void> {
    for (let accepted = 1; !this.#ended; accepted++) {
      try {
        this.#admit(await this.#listener.accept());
        if (accepted % ACCEPTS_IN_TURN === 0) await sleep(1);
      } catch {
        if (this.#ended) return;
        await this.#displace();
      }
    }
  }

  #admit(client: Deno.TcpConn): void {
    const { hostname: host, port } = client.remoteAddr;
    const hostname = host.replace(/^::ffff:/, "");
    const refuse = (fault: ConnectionFault) => {
      this.#options.onFault(fault, hostname);
      client.close();
    };
    if (this.#ended) return client.close();
    if (!this.#rates.take(hostname)) return refuse("rate");
    if (this.#opening.size > 0 && !hasDescriptorsFor(this.#opening.size)) return refuse("accept");
    const { maxConnections, maxPerAddress } = this.#options.limits;
    const siblings = this.#ofAddress.get(hostname) ?? new Set();
    if (siblings.size >= maxPerAddress && !this.#displaceOf(siblings)) return refuse("connections");
    if (this.#open >= maxConnections && !this.#makeRoom()) return refuse("connections");
    const connection = new Connection(client, { hostname, port }, this);
    this.#open++;
    this.#ofAddress.set(hostname, siblings.add(connection));
    const running = connection.run().finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Frees file descriptors, and waits for a moment. */
  async #displace(): Promise<void> {
    this.#displacing ??= Promise.try(async () => {
      this.#options.onFault("accept", "");
      for (let n = 0; n < DISPLACED_AT_ONCE; n++) this.#makeRoom();
      await sleep(RETRY_MS);
      this.#displacing = undefined;
    });
    await this.#displacing;
  }

  /** Closes a connection that is not in use, of the address that has most; false without one. */
  #makeRoom(): boolean {
    const most = [...this.#ofAddress.values()].sort((a, b) => b.size - a.size);
    return most.some((connections) => this.#displaceOf(connections));
  }

  #displaceOf(connections: Set<Connection>): boolean {
    const now = performance.now();
    const oldest = connections.values().find((each) => mayYield(each, now));
    if (oldest !== undefined) this.#cut(oldest, "connections");
    return oldest !== undefined;
  }

  #sweep(): void {
    this.#rates.sweep();
    const now = performance.now();
    for (const connection of this.#connections()) {
      const fault = overdue(connection, now, this.#options.limits);
      if (fault === "idle") connection.close();
      else if (fault !== undefined) this.#cut(connection, fault);
    }
  }

  #cut(connection: Connection, fault: ConnectionFault): void {
    this.#options.onFault(fault, connection.peer.hostname);
    connection.close();
  }
}

function isStalled({ sendingSince = Infinity }: Connection, now: number): boolean {
  return now - sendingSince > YIELDS_AFTER_MS;
}

function mayYield(connection: Connection, now: number): boolean {
  const { activity, since, sendingSince } = connection;
  if (activity === "busy" || sendingSince !== undefined) return isStalled(connection, now);
  return now - since > YIELDS_AFTER_MS;
}

/** The time limit that a connection has exceeded. */
function overdue(
  { activity, since, sendingSince = Infinity, mayPause }: Connection,
  now: number,
  limits: ConnectionLimits,
): "headers" | "idle" | "stalled" | undefined {
  const { handlerTimeoutMs, headersTimeoutMs, idleTimeoutMs, sendTimeoutMs } = limits;
  if (now - sendingSince > (mayPause ? sendTimeoutMs : limits.stallTimeoutMs)) return "stalled";
  const ms = now - since;
  switch (activity) {
    case "busy":
      return ms > handlerTimeoutMs + sendTimeoutMs ? "stalled" : undefined;
    case "receiving":
      return ms > headersTimeoutMs ? "headers" : undefined;
    case "idle":
      return ms > idleTimeoutMs ? "idle" : undefined;
    case "closing":
      return ms > CLOSING_MS ? "idle" : undefined;
  }
}
