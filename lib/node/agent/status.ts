/**
 * The agent's status server: readiness, metrics, and requests to quit or drain.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { type Handler, probe, type Route, route, text, type WebCall } from "../../kit/web/mod.ts";
import type { Readiness } from "./readiness.ts";
import { scrape, type ScrapeOptions } from "./scrape.ts";

/** Options of the status server. */
export interface StatusOptions {
  readonly readiness: Readiness;
  readonly scrape: ScrapeOptions;
  /** True: only clients on this machine may read metrics. */
  readonly metricsLocalOnly: boolean;
  /** Ends the agent at once. */
  quit(): void;
  /** Starts draining. */
  drain(): void;
}

const log = scope("healthcheck");

/** The routes of the status server. */
export function statusRoutes(options: StatusOptions): Route[] {
  const metrics = metricsHandler(options);
  return [
    probe("*", "/healthz/ready", readyHandler(options.readiness)),
    route("GET", "/metrics", metrics),
    route("GET", "/stats/prometheus", metrics),
    route("*", "/quitquitquit", commandHandler(options.quit)),
    route("*", "/drain", commandHandler(options.drain)),
  ];
}

/** Logs each change once; probes come every few seconds. */
function readyHandler(readiness: Readiness): Handler {
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

function metricsHandler(options: StatusOptions): Handler {
  return async (call) => {
    if (options.metricsLocalOnly && !call.local) return localOnly();
    return compressed(call.request, await scrape(call.request, options.scrape));
  };
}

/** An entry of `Accept-Encoding` that accepts gzip (RFC 9110, section 12.5.3). */
const ACCEPTS_GZIP =
  /(?:^|,)\s*(?:gzip|x-gzip)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i;

/** The response in gzip, if the client accepts it. */
function compressed(request: Request, response: Response): Response {
  const { body, status } = response;
  const headers = new Headers(response.headers);
  headers.set("vary", "accept-encoding");
  if (body === null || !ACCEPTS_GZIP.test(request.headers.get("accept-encoding") ?? "")) {
    return new Response(body, { status, headers });
  }
  headers.set("content-encoding", "gzip");
  return new Response(body.pipeThrough(new CompressionStream("gzip")), { status, headers });
}

function commandHandler(act: () => void): Handler {
  return (call) => {
    if (!call.local || isForeignPage(call)) return localOnly();
    if (call.request.method !== "POST") {
      return text("Method Not Allowed\n", { status: 405, headers: { allow: "POST" } });
    }
    log.info("asked by a local request", { path: call.url.pathname });
    act();
    return text("OK");
  };
}

/**
 * A browser on this machine would let any page send POST requests here; such requests have this
 * header.
 */
function isForeignPage({ request, url }: WebCall): boolean {
  const origin = request.headers.get("origin");
  return origin !== null && origin !== url.origin;
}

function localOnly(): Response {
  return text("Only requests from localhost are allowed\n", { status: 403 });
}
