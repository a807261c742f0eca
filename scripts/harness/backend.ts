/**
 * A small backend that says who it is and what it was sent.
 *
 * @module
 */

/** What a backend answers, as JSON. */
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
  /** Requests served so far. */
  readonly served: number;
}

/** How a backend behaves; all by request, so that a test decides. */
const BEHAVIOUR = {
  /** Answer with this status. */
  status: "x-backend-status",
  /** Fail so many requests with this `x-request-key` first. */
  failFirst: "x-backend-fail-first",
} as const;

/** Starts a backend on a loopback address and a port of the kernel's choice. */
export function startBackend(name: string, hostname = "127.0.0.1", port = 0): Backend {
  let served = 0;
  const failures = new Map<string, number>();
  const server = Deno.serve({ hostname, port, onListen: () => {} }, (request) => {
    served++;
    const url = new URL(request.url);
    const echo: Echo = {
      backend: name,
      method: request.method,
      path: url.pathname + url.search,
      host: request.headers.get("host") ?? "",
      headers: Object.fromEntries(request.headers),
    };
    let status = Number(request.headers.get(BEHAVIOUR.status) ?? 200);
    const failFirst = Number(request.headers.get(BEHAVIOUR.failFirst) ?? 0);
    const key = request.headers.get("x-request-key") ?? "";
    if (failFirst > (failures.get(key) ?? 0)) {
      failures.set(key, (failures.get(key) ?? 0) + 1);
      status = 503;
    }
    return Response.json(echo, { status, headers: { "x-backend": name } });
  });
  return {
    name,
    port: server.addr.port,
    get served() {
      return served;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
