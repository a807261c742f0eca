/**
 * HTTP requests for modules: bounded in bytes, time and redirects. Credentials never follow a
 * redirect to another host.
 *
 * @module
 */
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

/** Options of a request. */
export interface FetchOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Value of the header `authorization`. */
  readonly authorization?: string;
  /** Take any certificate. */
  readonly insecure: boolean;
  /** Time limit of the whole request, ms. */
  readonly timeoutMs: number;
  /** Largest body, bytes. */
  readonly maxBytes: number;
}

/** A response with its whole body. */
export interface Fetched {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A request failed; `transient` says that another attempt may succeed. */
export class FetchError extends Error {
  override readonly name = "FetchError";
  readonly transient: boolean;

  constructor(message: string, transient: boolean) {
    super(message);
    this.transient = transient;
  }
}

/** Redirects that are followed. */
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Sends a GET request and reads the body.
 *
 * @throws FetchError for a failed connection, a body beyond the limit, too many redirects
 */
export async function fetchBytes(url: URL, options: FetchOptions): Promise<Fetched> {
  const signal = AbortSignal.timeout(options.timeoutMs);
  let { authorization } = options;
  let at = url;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await send(at, { ...options, authorization }, signal);
    const { location } = response.headers;
    if (!REDIRECTS.has(response.status) || location === undefined) return response;
    const next = redirected(at, location);
    if (next.origin !== at.origin) authorization = undefined;
    at = next;
  }
  throw new FetchError(`${url.origin} redirects more than ${MAX_REDIRECTS} times`, false);
}

function redirected(from: URL, location: string): URL {
  if (!URL.canParse(location, from)) {
    throw new FetchError(`${from.origin} redirects to what is no URL`, false);
  }
  const next = new URL(location, from);
  const secure = from.protocol !== "https:" || next.protocol === "https:";
  if (!/^https?:$/.test(next.protocol) || !secure) {
    throw new FetchError(`${from.origin} redirects to ${next.protocol}//, not https`, false);
  }
  return next;
}

async function send(url: URL, options: FetchOptions, signal: AbortSignal): Promise<Fetched> {
  const { headers = {}, authorization, insecure } = options;
  const settings = {
    method: "GET",
    headers: { ...headers, ...authorization !== undefined && { authorization } },
    signal,
  };
  try {
    const request = url.protocol === "https:"
      ? requestHttps(url, { ...settings, rejectUnauthorized: !insecure })
      : requestHttp(url, settings);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once("response", resolve);
      request.once("error", reject);
      request.end();
    });
    const body = await wholeBody(response, url, options.maxBytes);
    return { status: response.statusCode ?? 0, headers: plain(response), body };
  } catch (error) {
    if (error instanceof FetchError) throw error;
    const reason = signal.aborted
      ? `no answer within ${options.timeoutMs / 1000} s`
      : error instanceof Error
      ? error.message
      : String(error);
    throw new FetchError(`${url.origin} cannot be asked: ${reason}`, true);
  }
}

function plain({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value ?? "")]),
  );
}

async function wholeBody(
  response: IncomingMessage,
  url: URL,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Uint8Array>) {
    size += part.byteLength;
    if (size > maxBytes) {
      response.destroy();
      throw new FetchError(`${url.origin} sends more than ${maxBytes} bytes`, false);
    }
    parts.push(part);
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.byteLength;
  }
  return body;
}
