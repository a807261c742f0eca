/**
 * HTTP routes of monitoring: `/metrics`, `/version`, `/ready`.
 *
 * @module
 */
import { buildLine } from "../base/mod.ts";
import { sharedScrapes } from "../metrics/mod.ts";
import { probe, type Route, route, shared, text } from "../web/mod.ts";
import { METRICS_LOCALHOST_ACCESS_ONLY } from "./variables.ts";

/** `/metrics` and `/version`. */
export function monitoringRoutes(): Route[] {
  const localOnly = METRICS_LOCALHOST_ACCESS_ONLY.get();
  const scrape = sharedScrapes();
  return [
    route("GET", "/metrics", async ({ local, request }) => {
      if (localOnly && !local) {
        return text("Only requests from localhost are allowed\n", { status: 403 });
      }
      const { contentType, bytes } = await scrape(request.headers.get("accept") ?? "");
      return shared(bytes, contentType);
    }),
    route("GET", "/version", () => text(`${buildLine()}\n`)),
  ];
}

/** Readiness of the daemon. */
export interface Readiness {
  isReady(): boolean;
  set(ready: boolean): void;
}

/** Creates the state of a daemon that is not ready. */
export function createReadiness(): Readiness {
  let ready = false;
  return {
    isReady: () => ready,
    set: (value) => {
      ready = value;
    },
  };
}

/** `/ready`: status 200 when all listeners are open, otherwise 503; without a body. */
export function readyRoute(isReady: () => boolean): Route {
  return probe("GET", "/ready", () => text("", { status: isReady() ? 200 : 503 }));
}
