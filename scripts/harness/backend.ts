/**
 * A small backend that answers with its name and the received request.
 *
 * @module
 */

/** The JSON answer of a backend. */
export interface Echo {
  /** Name of the backend. */
  readonly backend: string;
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A running backend. */
export interface Backend extends AsyncDisposable {
  readonly name: string;
  readonly port: number;
  /** Number of requests so far. */
  readonly served: number;
  /** Requests with an `x-request-key`, oldest first. */
  seen(key: string): readonly Echo[];
}

/** Request headers that control a backend. */
const BEHAVIOUR = {
  /** Status of the answer. */
  status: "x-backend-status",
  /** Backends that answer 500, comma-separated. */
  failing: "x-backend-failing",
  /** Number of requests with this `x-request-key` that are answered 503 first. */
  failFirst: "x-backend-fail-first",
  /** Delay of the answer in milliseconds. */
  delay: "x-backend-delay-ms",
  /** Identifies a request, to count its attempts. */
  key: "x-request-key",
} as const;

/** Starts a backend on a loopback address and a free port. */
export function startBackend(name: string, hostname = "127.0.0.1", port = 0): Backend {
  let served = 0;
  const seen = new Map<string, Echo[]>();
  const closing = new AbortController();
  const server = Deno.serve({ hostname, port, onListen: () => {} }, async (request) => {
    served++;
    const echo = echoOf(name, request);
    const key = echo.headers[BEHAVIOUR.key] ?? "";
    const same = seen.get(key) ?? [];
    if (key !== "") seen.set(key, [...same, echo]);
    const delay = Number(echo.headers[BEHAVIOUR.delay] ?? 0);
    if (delay > 0) await pause(delay, closing.signal);
    const status = statusOf(echo, same.length);
    return Response.json(echo, { status, headers: { "x-backend": name } });
  });
  return {
    name,
    port: server.addr.port,
    get served() {
      return served;
    },
    seen: (key) => seen.get(key) ?? [],
    [Symbol.asyncDispose]: () => {
      closing.abort();
      return server.shutdown();
    },
  };
}

function echoOf(backend: string, request: Request): Echo {
  const url = new URL(request.url);
  return {
    backend,
    method: request.method,
    path: url.pathname + url.search,
    host: request.headers.get("host") ?? "",
    headers: Object.fromEntries(request.headers),
  };
}

function statusOf({ backend, headers }: Echo, failedBefore: number): number {
  if (headers[BEHAVIOUR.failing]?.split(",").includes(backend)) return 500;
  if (failedBefore < Number(headers[BEHAVIOUR.failFirst] ?? 0)) return 503;
  return Number(headers[BEHAVIOUR.status] ?? 200);
}

/** Waits until the time is over or the backend stops. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
