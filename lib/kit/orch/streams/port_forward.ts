/**
 * Local ports that lead to ports of pods (`portforward`). Each connection is a WebSocket of its own
 * with the subprotocol `v4.channel.k8s.io`, which every kubelet speaks for one port: channel 0 has
 * the data, channel 1 an error; the first message of each channel is the port, 2 bytes.
 *
 * @module
 */
import { messageOf } from "../../base/mod.ts";
import type { Access } from "../access.ts";
import { openSocket, type PodName, type Socket } from "./socket.ts";

const DATA = 0;
const ERROR = 1;
const CHUNK = 64 * 1024;

/** A port of a pod. */
export interface ForwardRequest {
  readonly access: Access;
  readonly pod: PodName;
  readonly port: number;
  /** Local addresses to listen on, of which one must be free; default 127.0.0.1. */
  readonly hosts?: readonly string[];
  /** Local port; default: a free one. */
  readonly localPort?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** An open local port. */
export interface PortForward extends AsyncDisposable {
  readonly port: number;
  /** Reason why the last connection failed, such as a port on which nothing listens. */
  fault(): string | undefined;
}

/**
 * Listens on a local port. A first connection to the pod is opened at once, so that a missing pod or
 * right is an error here.
 *
 * @throws {OrchError} if the server refuses; `Deno.errors.AddrInUse` for a local port in use
 */
export async function forwardPort(request: ForwardRequest): Promise<PortForward> {
  const { hosts = ["127.0.0.1"], localPort = 0 } = request;
  const listeners = listen(hosts, localPort);
  try {
    const first = await open(request);
    return new Forward(request, listeners, first);
  } catch (error) {
    for (const listener of listeners) listener.close();
    throw error;
  }
}

/** Listens on the addresses that can be bound; fails if none can. */
function listen(hosts: readonly string[], localPort: number): Deno.TcpListener[] {
  const listeners: Deno.TcpListener[] = [];
  let fault: unknown;
  for (const hostname of hosts) {
    try {
      const port = listeners[0]?.addr.port ?? localPort;
      listeners.push(Deno.listen({ hostname, port }));
    } catch (error) {
      fault ??= error;
    }
  }
  if (listeners.length === 0) throw fault;
  return listeners;
}

function open({ access, pod, port, timeoutMs, signal }: ForwardRequest): Promise<Socket> {
  return openSocket({
    access,
    pod,
    subresource: "portforward",
    query: [["ports", String(port)]],
    protocols: ["v4.channel.k8s.io"],
    ...timeoutMs !== undefined && { timeoutMs },
    ...signal !== undefined && { signal },
  });
}

class Forward implements PortForward {
  readonly port: number;
  readonly #request: ForwardRequest;
  readonly #listeners: readonly Deno.TcpListener[];
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new Set<() => void>();
  #spare: Socket | undefined;
  #fault: string | undefined;
  #closed = false;

  constructor(request: ForwardRequest, listeners: readonly Deno.TcpListener[], first: Socket) {
    this.#request = request;
    this.#listeners = listeners;
    this.#spare = first;
    this.port = listeners[0]?.addr.port ?? 0;
    for (const listener of listeners) this.#track(this.#accept(listener));
  }

  fault(): string | undefined {
    return this.#fault;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const listener of this.#listeners) listener.close();
    this.#spare?.[Symbol.dispose]();
    for (const close of this.#closing) close();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #track(work: Promise<void>): void {
    const ended = work.catch((error) => {
      if (!this.#closed) this.#fault = messageOf(error);
    }).finally(() => this.#running.delete(ended));
    this.#running.add(ended);
  }

  async #accept(listener: Deno.TcpListener): Promise<void> {
    for await (const connection of listener) this.#track(this.#serve(connection));
  }

  async #serve(connection: Deno.TcpConn): Promise<void> {
    const close = once(() => connection.close());
    this.#closing.add(close);
    try {
      const spare = this.#spare;
      this.#spare = undefined;
      using socket = spare ?? await open(this.#request);
      const closeBoth = (): void => {
        close();
        socket[Symbol.dispose]();
      };
      this.#closing.add(closeBoth);
      await Promise.all([
        this.#receive(socket, connection).finally(closeBoth),
        send(connection, socket).finally(closeBoth),
      ]);
      this.#closing.delete(closeBoth);
    } finally {
      close();
      this.#closing.delete(close);
    }
  }

  async #receive(socket: Socket, connection: Deno.TcpConn): Promise<void> {
    const begun = new Set<number>();
    for await (const message of socket.messages) {
      const channel = message[0] ?? DATA;
      if (!begun.has(channel)) {
        begun.add(channel);
        continue;
      }
      if (channel === ERROR) {
        this.#fault = new TextDecoder().decode(message.subarray(1));
        return;
      }
      if (channel === DATA) await writeAll(connection, message.subarray(1));
    }
  }
}

async function send(connection: Deno.TcpConn, socket: Socket): Promise<void> {
  const buffer = new Uint8Array(CHUNK + 1);
  for (;;) {
    const size = await connection.read(buffer.subarray(1)).catch(() => null);
    if (size === null) return;
    buffer[0] = DATA;
    await socket.send(buffer.slice(0, size + 1));
  }
}

async function writeAll(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    action();
  };
}
