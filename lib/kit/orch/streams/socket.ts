/**
 * WebSocket connections to subresources of pods.
 *
 * @module
 */
import { sleep } from "../../async/mod.ts";
import { MeshError } from "../../base/mod.ts";
import type { Access } from "../access.ts";
import { httpClientOf } from "../connection.ts";
import { credentialHeaders } from "../credentials.ts";
import { OrchError } from "../error.ts";
import { createTransport } from "../transport.ts";
import { createInbox, type Inbox } from "./inbox.ts";

export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

/** A stream to open. */
export interface SocketRequest {
  readonly access: Access;
  readonly pod: PodName;
  readonly subresource: "exec" | "portforward";
  /** Names may be repeated. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** WebSocket subprotocols, the preferred one first. */
  readonly protocols: readonly string[];
  readonly signal?: AbortSignal;
  /** Longest time until the connection is open, in milliseconds; default 30 seconds. */
  readonly timeoutMs?: number;
}

/** An open connection. */
export interface Socket extends Disposable {
  /** The subprotocol that the server chose. */
  readonly protocol: string;
  /** Binary messages; ends when the server closes the connection, throws when it breaks. */
  readonly messages: AsyncIterableIterator<Uint8Array>;
  /** Sends a message, and waits while too much is not sent yet. */
  send(message: Uint8Array<ArrayBuffer>): Promise<void>;
}

/** The constructor of Deno, whose options the types of browsers do not have. */
type SocketConstructor = new (
  url: string,
  options: {
    readonly protocols: readonly string[];
    readonly headers: readonly (readonly [string, string])[];
    readonly client: Deno.HttpClient;
  },
) => WebSocket;

/** True in Deno, whose constructor takes options in place of protocols. */
function takesOptions(constructor: unknown): constructor is SocketConstructor {
  return constructor === globalThis.WebSocket && typeof Deno.createHttpClient === "function";
}

function newSocket(...args: ConstructorParameters<SocketConstructor>): WebSocket {
  const constructor: unknown = WebSocket;
  if (!takesOptions(constructor)) throw new TypeError("WebSocket takes no options here");
  return new constructor(...args);
}

const TIMEOUT_MS = 30_000;
/** Bytes that are not sent yet, above which `send` waits. */
const MAX_UNSENT = 1024 * 1024;
const SEND_PAUSE_MS = 5;

/**
 * Opens a connection.
 *
 * @throws {OrchError} with the server's reason if it refuses, `orch-timeout` or `orch-unreachable`
 */
export async function openSocket(request: SocketRequest): Promise<Socket> {
  const { pod, subresource, query, signal, timeoutMs = TIMEOUT_MS } = request;
  signal?.throwIfAborted();
  const path = `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${
    encodeURIComponent(pod.name)
  }/${subresource}`;
  const search = new URLSearchParams(query.map(([name, value]) => [name, value]));
  const inbox = createInbox();
  const timeout = AbortSignal.timeout(timeoutMs);
  const stop = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  let socket: RawSocket;
  try {
    socket = await open(request, `${path}?${search}`, { inbox, signal: stop });
  } catch (error) {
    signal?.throwIfAborted();
    throw await refusal(request, `${subresource} of ${path}`, timeout.aborted ? timeoutMs : error);
  }
  let closed = false;
  return {
    protocol: socket.protocol,
    messages: inbox.messages(),
    send: async (message) => {
      while (socket.isOpen() && socket.unsent() > MAX_UNSENT) {
        await sleep(SEND_PAUSE_MS);
      }
      if (socket.isOpen()) socket.send(message);
    },
    [Symbol.dispose]: () => {
      if (closed) return;
      closed = true;
      inbox.end();
      socket.close();
    },
  };
}

/** An open WebSocket, of the platform or of the client library. */
interface RawSocket {
  readonly protocol: string;
  isOpen(): boolean;
  unsent(): number;
  send(message: Uint8Array<ArrayBuffer>): void;
  close(): void;
}

interface Opening {
  readonly inbox: Inbox;
  readonly signal: AbortSignal;
}

async function open(request: SocketRequest, path: string, opening: Opening): Promise<RawSocket> {
  const { access } = request;
  if (access.special === undefined && access.proxyUrl === "") {
    return await openPlatform(request, path, opening);
  }
  const { librarySocket } = await import("../library/mod.ts");
  return await librarySocket(access, path, { receiver: opening.inbox, signal: opening.signal });
}

async function openPlatform(
  { access, protocols }: SocketRequest,
  path: string,
  { inbox, signal }: Opening,
): Promise<RawSocket> {
  const client = await httpClientOf(access);
  const headers = await credentialHeaders(access);
  const url = `${access.server.replace(/^http/, "ws")}${path}`;
  const socket = newSocket(url, { protocols: [...protocols], headers, client });
  socket.binaryType = "arraybuffer";
  socket.addEventListener("message", ({ data }) => {
    if (data instanceof ArrayBuffer && !inbox.push(new Uint8Array(data))) socket.close();
  });
  socket.addEventListener("error", (event) => {
    inbox.fail(event instanceof ErrorEvent ? event.message : "the connection broke");
  });
  socket.addEventListener("close", () => inbox.close());
  const close = (): void => {
    socket.close();
    client.close();
  };
  try {
    await opened(socket, signal);
  } catch (error) {
    close();
    throw error;
  }
  return {
    protocol: socket.protocol,
    isOpen: () => socket.readyState === WebSocket.OPEN,
    unsent: () => socket.bufferedAmount,
    send: (message) => socket.send(message),
    close,
  };
}

async function opened(socket: WebSocket, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  socket.addEventListener("open", () => resolve(), { once: true });
  socket.addEventListener("error", (event) => {
    reject(new Error(event instanceof ErrorEvent ? event.message : "the connection failed"));
  }, { once: true });
  socket.addEventListener("close", () => reject(new Error("the connection was closed")), {
    once: true,
  });
  try {
    await promise;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * The error of a connection that was not opened. A WebSocket does not show the server's answer, so
 * the same path is asked without one, for the reason: no such pod, not allowed.
 */
async function refusal(
  { access, pod, subresource }: SocketRequest,
  what: string,
  cause: unknown,
): Promise<MeshError> {
  if (typeof cause === "number") {
    return new OrchError("orch-timeout", `${what}: no answer within ${cause} ms`, {
      status: 0,
      reason: "Timeout",
      remedy: "Check that the API server and the node of the pod are reachable.",
    });
  }
  const text = cause instanceof Error ? cause.message : String(cause);
  const status = Number(/(?:status code|server response): (\d+)/.exec(text)?.[1] ?? 0);
  if (status >= 400) {
    using transport = createTransport(access);
    const path = `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${
      encodeURIComponent(pod.name)
    }/${subresource}`;
    const asked = await transport.read({ path, timeoutMs: 5_000 }).catch((error) => error);
    if (asked instanceof OrchError && asked.status === status) return asked;
  }
  return new OrchError("orch-unreachable", `${what}: ${text}`, {
    status,
    reason: "Unreachable",
    remedy: "Check that the pod runs, and that the API server reaches its node.",
    cause,
  });
}
