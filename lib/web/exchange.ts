/**
 * Between the runtime's messages and the web's `Request` and `Response`.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";

/** The request line and headers; undefined when the target is no path or the host no host. */
export function toRequest(message: IncomingMessage): Request | undefined {
  const { url: target = "", method = "GET" } = message;
  // Proxies' absolute form and `*` are not for us; `//x` must not be read as a host.
  if (!target.startsWith("/")) return undefined;
  try {
    const host = message.headers.host ?? "localhost";
    return new Request(new URL(`http://${host}${target}`), { method, headers: headersOf(message) });
  } catch {
    return undefined;
  }
}

function headersOf(message: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) {
    for (const each of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, each);
  }
  return headers;
}

/**
 * Writes an answer as fast as the client reads it. When `signal` ends the wait, the connection is
 * cut, since half an answer cannot be taken back.
 */
export async function send(
  answer: Response,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  const cut = () => void response.destroy();
  signal.addEventListener("abort", cut, { once: true });
  try {
    for await (const part of answer.body ?? []) {
      if (response.destroyed) return;
      if (!response.write(part)) await drained(response);
    }
    await new Promise<void>((resolve) => {
      response.once("close", resolve);
      response.end(() => resolve());
    });
  } finally {
    signal.removeEventListener("abort", cut);
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.once("drain", done).once("close", done);
  });
}
