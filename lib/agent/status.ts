/**
 * The agent's status server: readiness, metrics, and the ways to end or drain from within.
 *
 * @module
 */
import { messageOf } from "../base/mod.ts";
import { scope } from "../log/mod.ts";
import type { Readiness } from "./readiness.ts";
import { scrape, type ScrapeOptions } from "./scrape.ts";

/** What the status server answers with. */
export interface StatusOptions {
  readonly readiness: Readiness;
  readonly scrape: ScrapeOptions;
  /** Metrics are for loopback clients only. */
  readonly metricsLocalOnly: boolean;
  /** Ends the agent at once. */
  quit(): void;
  /** Starts draining. */
  drain(): void;
}

/** Answers one request of a client at an IP address. */
export type StatusHandler = (request: Request, client: string) => Promise<Response>;

const APP_PATH =
  /^\/(app-health|app-lifecycle)\/[^/]+\/(livez|readyz|startupz|prestopz|poststartz)$/;

const log = scope("healthcheck");

/** The routes of the status server. */
export function statusHandler(options: StatusOptions): StatusHandler {
  const ready = readyRoute(options.readiness);
  return async (request, client) => {
    const { pathname } = new URL(request.url);
    switch (pathname) {
      case "/healthz/ready":
        return await ready();
      case "/metrics":
      case "/stats/prometheus":
        if (options.metricsLocalOnly && !isLoopback(client)) return localOnly();
        if (request.method !== "GET" && request.method !== "HEAD") return notAllowed("GET");
        return await scrape(request, options.scrape);
      case "/quitquitquit":
        return command(request, client, options.quit);
      case "/drain":
        return command(request, client, options.drain);
    }
    if (APP_PATH.test(pathname)) {
      // No probe is mapped to any path until the agent runs the application's probes.
      return text(400, `app prober config does not exists for ${pathname}`);
    }
    return text(404, "404 page not found");
  };
}

/** Tells of each change once; a probe comes every few seconds. */
function readyRoute(readiness: Readiness): () => Promise<Response> {
  let last: string | undefined = "";
  return async () => {
    const reason = await readiness.check().catch(messageOf);
    if (reason !== last) {
      if (reason === undefined) log.info("the proxy is ready");
      else log.warn("the proxy is not ready", { reason });
    }
    last = reason;
    return new Response(null, { status: reason === undefined ? 200 : 503 });
  };
}

function command(request: Request, client: string, act: () => void): Response {
  if (!isLoopback(client)) return localOnly();
  if (request.method !== "POST") return notAllowed("POST");
  log.info("asked by a local request", { path: new URL(request.url).pathname });
  act();
  return new Response("OK", { headers: { "content-type": "text/plain; charset=utf-8" } });
}

function localOnly(): Response {
  return text(403, "Only requests from localhost are allowed");
}

function notAllowed(allow: string): Response {
  return text(405, "Method Not Allowed", { allow });
}

function text(status: number, body: string, headers: Record<string, string> = {}): Response {
  return new Response(`${body}\n`, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...headers },
  });
}

/** Loopback of either family, IPv4 also in its IPv6 form. */
function isLoopback(client: string): boolean {
  return client === "::1" || /^(::ffff:)?127\./.test(client);
}
