/**
 * Metrics of the daemon itself and of its engine.
 *
 * @module
 */
import { buildInfo } from "../../kit/base/mod.ts";
import type { Graph, Stats } from "../../mesh/graph/mod.ts";
import { counter, gauge } from "../../kit/metrics/mod.ts";
import { PILOT_XDS_CACHE_STATS } from "./variables.ts";

/** Registers the metrics of the daemon and of its engine. */
export function observeEngine(graph: Graph): void {
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
  counter({
    name: "mesh_graph_computed_total",
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

/**
 * Registers the metrics of unused resources in memory, if `PILOT_XDS_CACHE_STATS` is true. Returns the
 * function that brings their counters up to date.
 */
export function observeUnused(graph: Graph): () => void {
  if (!PILOT_XDS_CACHE_STATS.get()) return () => {};
  gauge({
    name: "xds_cache_size",
    help: "Computed values that stay though no proxy is served them.",
    collect: () => graph.stats().idle.cells,
  });
  gauge({
    name: "xds_cache_dependent_config_size",
    help: "Configuration objects that something computed depends on.",
    collect: () => graph.stats().rowsRead,
  });
  const evictions = counter({
    name: "xds_cache_evictions",
    help: "Computed values and layers dropped for the bounds on what stays.",
  });
  const reads = counter({
    name: "xds_cache_reads",
    help: "Resources needed: those that had stayed are hits, those that were made are not.",
    labels: ["type", "hit"],
  });
  let last: Pick<Stats, "evicted" | "reuse"> = { evicted: 0, reuse: {} };
  return () => {
    const stats = graph.stats();
    evictions.inc({}, stats.evicted - last.evicted);
    for (const [table, { made, revived }] of Object.entries(stats.reuse)) {
      const before = last.reuse[table] ?? { made: 0, revived: 0 };
      reads.inc({ type: typeOf(table), hit: "true" }, revived - before.revived);
      reads.inc({ type: typeOf(table), hit: "false" }, made - before.made);
    }
    last = stats;
  };
}

/** Short name of the resource type that a table of the engine has. */
function typeOf(table: string): string {
  const [type = ""] = table.split(".");
  return type === "vhost" ? "rds" : type;
}
