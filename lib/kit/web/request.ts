import { MeshError } from "../base/mod.ts";

/** One request to a listener of this machine. */
export interface LocalRequest {
  /** `host:port`. */
  readonly address: string;
  /** HTTP method; taken as upper case. */
  readonly method: string;
  /** With or without a leading slash, with its query. */
  readonly path: string;
  readonly body?: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Sends a request and returns the response's body. A status above 399 is an error, except 404,
 * whose body names what is missing.
 *
 * @throws {MeshError} `request-status` with the status and body, `request-failed` without response,
 * `request-invalid` if it cannot be sent.
 */
export async function requestText(request: LocalRequest): Promise<string> {
  const { address, body, signal, timeoutMs } = request;
  const method = request.method.toUpperCase();
  const path = request.path.startsWith("/") ? request.path : `/${request.path}`;
  const url = `http://${address}${path}`;
  const checked = checkRequest(url, method, body);
  const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let status: number;
  let text: string;
  try {
    const response = await fetch(checked, { signal: within, redirect: "manual" });
    status = response.status;
    text = await response.text();
  } catch (cause) {
    throw new MeshError("request-failed", `${method} ${url} got no answer`, {
      remedy: `Check that something listens on ${address}.`,
      cause,
    });
  }
  if (status > 399 && status !== 404) {
    throw new MeshError("request-status", `received unsuccessful status code ${status}: ${text}`);
  }
  return text;
}

function checkRequest(url: string, method: string, body: string | undefined): Request {
  try {
    // The agent and the proxy's admin API answer HTTP/1.1; a body with GET is refused by fetch.
    return new Request(url, { method, body, headers: { accept: "*/*" } });
  } catch (cause) {
    throw new MeshError("request-invalid", `${method} ${url} cannot be sent`, { cause });
  }
}
