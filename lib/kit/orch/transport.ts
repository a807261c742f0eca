/**
 * HTTP to the API server: connections, headers, time limits. One attempt for each call.
 *
 * @module
 */
import { MeshError, messageOf } from "../base/mod.ts";
import type { Access } from "./access.ts";
import { credentialHeaders, httpClientOf } from "./connection.ts";
import { OrchError, statusError } from "./error.ts";

/** Values of a query; `undefined` and empty values are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A request. */
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
  #client: Promise<Deno.HttpClient> | undefined;
  /** Clients whose requests may still be running; closed at the end. */
  readonly #renewed: Promise<Deno.HttpClient>[] = [];
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
      const client = await unlessAborted(this.#connect(), signal);
      const headers = await this.#headers(request);
      await request.guard?.();
      const response = await fetch(`${this.#access.server}${path}${queryText(query)}`, {
        ...{ method, client, headers },
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        redirect: "error",
        signal,
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
    if (this.#client === undefined) return;
    this.#renewed.push(this.#client);
    this.#client = undefined;
    // Requests of a client from before the last renewal have ended or are stuck.
    while (this.#renewed.length > 1) void close(this.#renewed.shift()!);
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    this.renew();
    for (const client of this.#renewed.splice(0)) void close(client);
  }

  #connect(): Promise<Deno.HttpClient> {
    this.#client ??= httpClientOf(this.#access).catch((error) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  /** Pairs, not `Headers`, which would join the groups of an impersonated user to one. */
  async #headers({ body, contentType, accept }: OrchRequest): Promise<[string, string][]> {
    const headers = await credentialHeaders(this.#access);
    headers.push(["accept", accept ?? "application/json"]);
    if (body !== undefined) headers.push(["content-type", contentType ?? "application/json"]);
    return headers;
  }
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

async function close(client: Promise<Deno.HttpClient>): Promise<void> {
  (await client.catch(() => undefined))?.close();
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
