/**
 * The socket side of a listener, on `Deno.serve`. Decision 0009 has the reasons, and the measured
 * cost of what the runtime cannot limit: the time of headers, the number of connections, HTTP/2.
 *
 * @module
 */
import { MeshError, messageOf } from "../base/mod.ts";
import type { ListenAddress } from "./address.ts";

/** Dependencies of a listener. */
export interface ListenerOptions {
  readonly address: ListenAddress;
  /** The address as the user wrote it and what it is for, for messages. */
  readonly where: string;
  /** Answers a request; must not throw. */
  answer(request: Request, info: Deno.ServeHandlerInfo<Deno.NetAddr>): Promise<Response>;
  /** No connection could be accepted: as a rule the process has no file descriptor left. */
  onAcceptFailed(error: unknown): void;
}

/** A bound socket. */
export interface Listener {
  readonly address: ListenAddress;
  /**
   * Closes all connections and listens again, at most once a second. The runtime has no way to
   * close one connection.
   */
  cutConnections(): void;
  /** Closes the socket and all connections. */
  close(): Promise<void>;
}

/** Shortest time between two openings of the socket, milliseconds. */
const REOPEN_MS = 1_000;

/** Pause between closing the socket and opening it again, milliseconds. */
const SETTLE_MS = 20;

type Server = Deno.HttpServer<Deno.NetAddr>;

/**
 * Binds and serves. `Deno.serve` ends when it cannot accept a connection; the listener then closes
 * its connections, which frees file descriptors, and is opened again until it succeeds.
 *
 * @throws {MeshError} `listen-failed`
 */
export function listen(options: ListenerOptions): Listener {
  return new HttpListener(options);
}

class HttpListener implements Listener {
  readonly address: ListenAddress;
  readonly #options: ListenerOptions;
  #ending = new AbortController();
  #finished: Promise<void> = Promise.resolve();
  #openedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reopening: Promise<void> | undefined;
  #closed = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.address = bind(options, (address) => this.#open(address));
  }

  cutConnections(): void {
    const ms = this.#openedAt + REOPEN_MS - performance.now();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#reopening = this.#reopen();
    }, Math.max(0, ms));
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#reopening;
    await this.#end();
  }

  #open(address: ListenAddress): ListenAddress {
    const server = serve(this.#options, address, this.#ending.signal);
    this.#openedAt = performance.now();
    this.#finished = server.finished.catch((error) => this.#failed(error));
    const { hostname, port } = server.addr;
    return { hostname, port };
  }

  async #reopen(): Promise<void> {
    await this.#end();
    // The runtime closes the socket and the connections a few turns later.
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    if (this.#closed) return;
    this.#ending = new AbortController();
    try {
      this.#open(this.address);
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (this.#closed) return;
    this.#options.onAcceptFailed(error);
    this.cutConnections();
  }

  async #end(): Promise<void> {
    // Never `shutdown()` first: an abort after it throws uncaught and leaves connections open.
    this.#ending.abort();
    await this.#finished;
  }
}

function serve(
  { answer }: ListenerOptions,
  { hostname, port }: ListenAddress,
  signal: AbortSignal,
): Server {
  const options: Deno.ServeTcpOptions = {
    hostname,
    port,
    signal,
    onListen: () => {},
    // Errors of the streams of answers come here after the answer was begun.
    onError: () => new Response(null, { status: 500 }),
    automaticCompression: false,
  };
  return Deno.serve(options, answer);
}

/** Opens the first time: errors are for the user. Gives the bound address. */
function bind(
  { address, where }: ListenerOptions,
  open: (address: ListenAddress) => ListenAddress,
): ListenAddress {
  try {
    return open(address);
  } catch (cause) {
    const noV6 = address.hostname === "::" && codeOf(cause) === "EAFNOSUPPORT";
    if (!noV6) throw bindError(where, cause);
  }
  try {
    // All addresses were requested, on a machine without IPv6.
    return open({ hostname: "0.0.0.0", port: address.port });
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
