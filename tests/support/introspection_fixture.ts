/**
 * A facility on a listener of its own, for tests.
 *
 * @module
 */
import { introspectionRoutes } from "../../lib/insight/introspect/mod.ts";
import { startWeb } from "../../lib/kit/web/mod.ts";

/** A running facility. */
export interface Facility {
  /** Base URL. */
  readonly url: string;
  /** Number of requests to end its process. */
  readonly stops: () => number;
}

/** An answer, read to its end. */
export interface Read {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Runs `act` with a facility, on loopback by default. */
export async function withFacility(
  act: (facility: Facility) => Promise<void>,
  address = "127.0.0.1:0",
): Promise<void> {
  let stops = 0;
  const inputs = {
    program: "a <program>",
    stop: () => void stops++,
    userSignal: "Does something.",
    now: () => 1_700_000_000_123,
  };
  const web = await startWeb({ name: "test", address, routes: introspectionRoutes(inputs) });
  try {
    await act({ url: `http://127.0.0.1:${web.address.port}`, stops: () => stops });
  } finally {
    await web.stop(0);
  }
}

/** One request; redirects are not followed. */
export async function ask(
  { url }: Facility,
  request: string,
  init: Omit<RequestInit, "method"> = {},
): Promise<Read> {
  const [method, path] = request.split(" ");
  const answer = await fetch(`${url}${path}`, { ...init, method, redirect: "manual" });
  return { status: answer.status, headers: answer.headers, body: await answer.text() };
}

/** One request with headers that `fetch` would not send; gives status line, headers and body. */
export async function askRaw({ url }: Facility, lines: readonly string[]): Promise<string> {
  using connection = await Deno.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(url).port),
  });
  const [request, ...headers] = lines;
  const head = [`${request} HTTP/1.1`, ...headers, "Connection: close", "Content-Length: 0"];
  await connection.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n`));
  let answer = "";
  const decoder = new TextDecoder();
  for await (const part of connection.readable.values({ preventCancel: true })) {
    answer += decoder.decode(part, { stream: true });
  }
  return answer;
}
