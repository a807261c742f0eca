/**
 * HTTP routes of monitoring: `/metrics`, `/version`.
 *
 * @module
 */
import { buildLine } from "../../kit/base/mod.ts";
import { sharedScrapes } from "../../kit/metrics/mod.ts";
import { type Route, route, shared, text } from "../../kit/web/mod.ts";
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
