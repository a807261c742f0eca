/**
 * What stays in memory of what no proxy is served, by the variables that are known
 * for a cache of resources: here the engine keeps everything that is served once,
 * and these bound what it keeps beside, for proxies that come back.
 *
 * @module
 */
import { declareEnv } from "../../lib/env/mod.ts";
import type { Graph, Keep, Stats } from "../../lib/graph/mod.ts";
import { counter, gauge } from "../../lib/metrics/mod.ts";
import { keeping, type Translation } from "../../lib/translate/mod.ts";

const readers = ["pilot-discovery"] as const;

const PILOT_ENABLE_XDS_CACHE = declareEnv({
  name: "PILOT_ENABLE_XDS_CACHE",
  type: "bool",
  default: true,
  doc: "Keep resources that no proxy is served any more, for those that come back.",
  readers,
});
const PILOT_ENABLE_CDS_CACHE = declareEnv({
  name: "PILOT_ENABLE_CDS_CACHE",
  type: "bool",
  default: true,
  doc: "Keep clusters among them.",
  readers,
});
const PILOT_ENABLE_RDS_CACHE = declareEnv({
  name: "PILOT_ENABLE_RDS_CACHE",
  type: "bool",
  default: true,
  doc: "Keep route tables and virtual hosts among them.",
  readers,
});
const PILOT_XDS_CACHE_SIZE = declareEnv({
  name: "PILOT_XDS_CACHE_SIZE",
  type: "int",
  default: 60_000,
  range: { least: 0 },
  doc: "Most computed values, resources among them, that stay though no proxy is served them.",
  readers,
});
const MESH_XDS_CACHE_BYTES = declareEnv({
  name: "MESH_XDS_CACHE_BYTES",
  type: "int",
  default: 32 * 1024 * 1024,
  range: { least: 0 },
  doc: "Most bytes of the resources that stay though no proxy is served them.",
  readers,
});
const PILOT_XDS_CACHE_INDEX_CLEAR_INTERVAL = declareEnv({
  name: "PILOT_XDS_CACHE_INDEX_CLEAR_INTERVAL",
  type: "duration",
  default: "5s",
  range: { least: 1 },
  doc: "How often the bounds on what stays are enforced while nothing is published.",
  readers,
});
const PILOT_XDS_CACHE_STATS = declareEnv({
  name: "PILOT_XDS_CACHE_STATS",
  type: "bool",
  default: false,
  doc: "Export metrics of the resources that stay and of how often they were of use.",
  readers,
});

/** The bounds that the environment sets. */
export function readKeep(): Keep {
  return keeping({
    anything: PILOT_ENABLE_XDS_CACHE.get(),
    clusters: PILOT_ENABLE_CDS_CACHE.get(),
    routes: PILOT_ENABLE_RDS_CACHE.get(),
    cells: PILOT_XDS_CACHE_SIZE.get(),
    bytes: MESH_XDS_CACHE_BYTES.get(),
  });
}

/** Enforces the bounds from time to time; exports the metrics, if wanted. Disposing ends it. */
export function startKeeping(
  translation: Pick<Translation, "tidy" | "mesh">,
  busy: () => boolean,
): Disposable {
  const note = PILOT_XDS_CACHE_STATS.get() ? observe(translation.mesh.graph) : undefined;
  const timer = setInterval(() => {
    // A publication enforces them itself, at its end.
    if (!busy()) translation.tidy();
    note?.();
  }, PILOT_XDS_CACHE_INDEX_CLEAR_INTERVAL.get());
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Registers the metrics; returns what brings the counters up to date. */
function observe(graph: Graph): () => void {
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

/** The short name of the type that a table's resources are of. */
function typeOf(table: string): string {
  const [type = ""] = table.split(".");
  return type === "vhost" ? "rds" : type;
}
