/**
 * HTTP to the API server: connections, headers, time limits. One attempt for each call.
 *
 * @module
 */
import { MeshError, messageOf } from "../base/mod.ts";
import type { Access } from "./access.ts";
import { connectionOf } from "./connection.ts";
import { OrchError, statusError } from "./error.ts";
import type { Connection } from "./sending.ts";

/** Values of a query; `undefined` and empty values are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface OrchRequest {
  /** Default `GET`. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Begins with a slash. */
  readonly path: string;
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** Form of the answer. Default `application/json`. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /**
   * Longest time until the answer, in milliseconds; default {@link TIMEOUT_MS}. For a stream, until
   * its head.
   */
  readonly timeoutMs?: number;
  /** Awaited right before each attempt; after a rejection nothing is sent. */
  readonly guard?: (() => Promise<void>) | undefined;
}

/** Default time limit of a request, in milliseconds. */
export const TIMEOUT_MS = 30_000;

/** Sends requests to one API server. */
export interface Transport extends Disposable {
  /**
   * Sends a request once and returns the text of the answer.
   *
   * @throws OrchError without an answer, or for an error status
   */
  read(request: OrchRequest): Promise<string>;
  /** Like `read`; returns when the head has arrived. The body must be read or cancelled. */
  open(request: OrchRequest): Promise<Response>;
  /** Drops the connections. The next request opens a new one, with certificates read again. */
  renew(): void;
}

/** Opens no connection before the first request. */
export function createTransport(access: Access): Transport {
  return new HttpTransport(access);
}

class HttpTransport implements Transport {
  readonly #access: Access;
  #connection: Promise<Connection> | undefined;
  /** Those whose requests may still be running; closed at the end. */
  readonly #renewed: Promise<Connection>[] = [];
  #closed = false;

  constructor(access: Access) {
    this.#access = access;
  }

  read(request: OrchRequest): Promise<string> {
    return this.#attempt(request, (response) => response.text());
  }

  open(request: OrchRequest): Promise<Response> {
    return this.#attempt(request, (response) => Promise.resolve(response));
  }

  async #attempt<T>(
    request: OrchRequest,
    take: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { method = "GET", path, query, timeoutMs = TIMEOUT_MS } = request;
    const what = `${method} ${path}`;
    if (this.#closed) throw new MeshError("orch-closed", `${what}: the client is closed`);
    const timer = new AbortController();
    const timeout = setTimeout(() => timer.abort(), timeoutMs);
    const signal = request.signal === undefined
      ? timer.signal
      : AbortSignal.any([timer.signal, request.signal]);
    try {
      const connection = await unlessAborted(this.#connect(), signal);
      const response = await connection.send(`${this.#access.server}${path}${queryText(query)}`, {
        ...{ method, signal, guard: request.guard },
        headers: headersOf(request),
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      });
      if (response.ok) return await take(response);
      const body = await response.text();
      if (response.status === 401) this.#access.token?.refused();
      const retryAfter = response.headers.get("retry-after");
      throw statusError(what, { status: response.status, body, retryAfter });
    } catch (cause) {
      if (cause instanceof MeshError) throw cause;
      request.signal?.throwIfAborted();
      throw unanswered(what, timer.signal.aborted ? timeoutMs : undefined, cause);
    } finally {
      clearTimeout(timeout);
    }
  }

  renew(): void {
    if (this.#connection === undefined) return;
    this.#renewed.push(this.#connection);
    this.#connection = undefined;
    // Requests from before the last renewal have ended or are stuck.
    while (this.#renewed.length > 1) void close(this.#renewed.shift()!);
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    this.renew();
    for (const connection of this.#renewed.splice(0)) void close(connection);
  }

  #connect(): Promise<Connection> {
    this.#connection ??= connectionOf(this.#access).catch((error) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }
}

function headersOf({ body, contentType, accept }: OrchRequest): [string, string][] {
  const headers: [string, string][] = [["accept", accept ?? "application/json"]];
  if (body !== undefined) headers.push(["content-type", contentType ?? "application/json"]);
  return headers;
}

/** The result of work that goes on; rejects when `signal` is aborted. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function close(connection: Promise<Connection>): Promise<void> {
  (await connection.catch(() => undefined))?.close();
}

function unanswered(what: string, timeoutMs: number | undefined, cause: unknown): OrchError {
  if (timeoutMs !== undefined) {
    return new OrchError("orch-timeout", `${what}: no answer within ${timeoutMs} ms`, {
      status: 0,
      reason: "Timeout",
      remedy: "Check that the API server is reachable and not overloaded.",
      cause,
    });
  }
  return new OrchError("orch-unreachable", `${what}: ${rootMessage(cause)}`, {
    status: 0,
    reason: "Unreachable",
    remedy: "Check the server's address, the network and the trusted authority.",
    cause,
  });
}

/** The innermost cause says why a connection failed. */
function rootMessage(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause === undefined ? messageOf(thrown) : rootMessage(cause);
}

function queryText(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") parameters.set(name, String(value));
  }
  return parameters.size === 0 ? "" : `?${parameters}`;
}
