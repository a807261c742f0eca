/**
 * The socket side of a listener: `Deno.serve` on a port of loopback, behind a front that bounds what
 * the runtime cannot limit. Decision 0009 has the reasons.
 *
 * @module
 */
import { MeshError, messageOf } from "../base/mod.ts";
import type { ListenAddress } from "./address.ts";
import type { Connection } from "./connection.ts";
import { type ConnectionLimits, Front, type FrontOptions } from "./front.ts";

/** Dependencies of a listener. */
export interface ListenerOptions extends Pick<FrontOptions, "onFault"> {
  readonly address: ListenAddress;
  /** The address as the user wrote it and what it is for, for messages. */
  readonly where: string;
  readonly limits: ConnectionLimits;
  /** Answers a request of a connection; must not throw. */
  answer(request: Request, connection: Connection, completed: Promise<void>): Promise<Response>;
}

/** A bound socket. */
export interface Listener {
  readonly address: ListenAddress;
  /** Closes connections whose clients do not take their answers, because others need their place. */
  closeStalled(): void;
  /** Closes the socket, and its connections as they become idle, at most after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Connections that the system keeps until they are accepted. */
const BACKLOG = 1024;

/** Pause before the runtime's server is started again, milliseconds. */
const RESTART_MS = 25;

/**
 * Binds and serves.
 *
 * @throws {MeshError} `listen-failed`
 */
export function listen(options: ListenerOptions): Listener {
  const { address, where, limits, onFault } = options;
  const listener = bind(address, where);
  const server = new InnerServer({
    answer(request, { remoteAddr, completed }) {
      const connection = front.connectionOf(remoteAddr);
      // A program of this machine has found the port of the server itself.
      if (connection === undefined) return new Response(null, { status: 403 });
      return options.answer(request, connection, completed);
    },
    onFailed() {
      onFault("accept", "");
      // Requests in progress continue; the runtime handles no further request of a connection.
      front.finishAll();
    },
  });
  const front: Front = new Front(listener, { limits, server: () => server.address, onFault });
  const { hostname, port } = listener.addr;
  return {
    address: { hostname, port },
    closeStalled: () => front.closeStalled(),
    async close(graceMs) {
      await front.end(graceMs);
      await server.end();
      await front.settled();
    },
  };
}

/** Dependencies of an inner server. */
interface InnerServerOptions {
  readonly answer: Deno.ServeHandler<Deno.NetAddr>;
  /** The server has ended, and is started again. */
  onFailed(): void;
}

/**
 * The runtime's server, on a port of loopback that the system chooses. It ends when it cannot accept
 * a connection; another one is started then.
 */
class InnerServer {
  readonly #options: InnerServerOptions;
  readonly #ending = new AbortController();
  readonly #finished = new Set<Promise<void>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #address: ListenAddress;

  constructor(options: InnerServerOptions) {
    this.#options = options;
    this.#address = this.#start();
  }

  /** The address of the server that was started last. */
  get address(): ListenAddress {
    return this.#address;
  }

  async end(): Promise<void> {
    clearTimeout(this.#timer);
    // Never `shutdown()` first: an abort after it throws uncaught and leaves connections open.
    this.#ending.abort();
    await Promise.all(this.#finished);
  }

  #start(): ListenAddress {
    const server = Deno.serve({
      hostname: "127.0.0.1",
      port: 0,
      signal: this.#ending.signal,
      onListen: () => {},
      // Errors of the streams of answers come here after the answer was begun.
      onError: () => new Response(null, { status: 500 }),
      automaticCompression: false,
    }, this.#options.answer);
    const finished = server.finished.catch(() => this.#failed())
      .finally(() => this.#finished.delete(finished));
    this.#finished.add(finished);
    const { hostname, port } = server.addr;
    return { hostname, port };
  }

  #failed(): void {
    if (this.#ending.signal.aborted) return;
    this.#options.onFailed();
    this.#startLater();
  }

  #startLater(): void {
    this.#timer = setTimeout(() => {
      try {
        this.#address = this.#start();
      } catch {
        this.#startLater();
      }
    }, RESTART_MS);
  }
}

/** Opens the socket: errors are for the user. */
function bind(address: ListenAddress, where: string): Deno.TcpListener {
  try {
    return Deno.listen({ ...address, tcpBacklog: BACKLOG });
  } catch (cause) {
    const noV6 = address.hostname === "::" && codeOf(cause) === "EAFNOSUPPORT";
    if (!noV6) throw bindError(where, cause);
  }
  try {
    // All addresses were requested, on a machine without IPv6.
    return Deno.listen({ hostname: "0.0.0.0", port: address.port, tcpBacklog: BACKLOG });
  } catch (cause) {
    throw bindError(where, cause);
  }
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
