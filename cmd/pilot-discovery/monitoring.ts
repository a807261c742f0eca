/**
 * What the daemon's monitoring listener answers, and the metrics of the daemon itself and of its
 * engine.
 *
 * @module
 */
import { buildInfo, buildLine } from "../../lib/base/mod.ts";
import type { Graph } from "../../lib/graph/mod.ts";
import { expose, gauge } from "../../lib/metrics/mod.ts";
import { answer, type Route, route, text } from "../../lib/web/mod.ts";

/** `/metrics` and `/version`. */
export function monitoringRoutes(options: { readonly localOnly: boolean }): Route[] {
  return [
    route("GET", "/metrics", async ({ local, request }) => {
      if (options.localOnly && !local) {
        return text("Only requests from localhost are allowed\n", { status: 403 });
      }
      const { contentType, body } = await expose(request.headers.get("accept") ?? undefined);
      return answer(body, contentType);
    }),
    route("GET", "/version", () => text(`${buildLine()}\n`)),
  ];
}

/** Registers the metrics of the daemon and of the engine. */
export function observe(graph: Graph): void {
  const started = performance.now();
  gauge({
    name: "meshd_uptime_seconds",
    help: "Seconds since the start.",
    collect: () => (performance.now() - started) / 1000,
  });
  gauge({
    name: "mesh_graph_cells",
    help: "Cells that the engine keeps.",
    collect: () => graph.stats().cells,
  });
  gauge({
    name: "mesh_graph_computed",
    help: "Computations run since the start.",
    collect: () => graph.stats().computed,
  });
  gauge({
    name: "mesh_graph_faults",
    help: "Cells that failed and serve their last good value, if they have one.",
    collect: () => graph.faults().length,
  });
  gauge({
    name: "pilot_info",
    help: "Version of the daemon.",
    labels: ["version"],
  }).set({ version: buildInfo.version }, 1);
  gauge({
    name: "mesh_build",
    help: "The component, and the tag it was built from.",
    labels: ["component", "tag"],
  }).set({ component: "pilot", tag: buildInfo.version }, 1);
  const clusters = gauge({
    name: "meshd_managed_clusters",
    help: "Clusters that configuration comes from: the daemon's own one, and others.",
    labels: ["cluster_type"],
  });
  clusters.set({ cluster_type: "local" }, 1);
  clusters.set({ cluster_type: "remote" }, 0);
}

/** `/ready`: 200 once everything listens, else 503; no body. */
export function readyRoute(isReady: () => boolean): Route {
  return route("GET", "/ready", () => text("", { status: isReady() ? 200 : 503 }));
}
