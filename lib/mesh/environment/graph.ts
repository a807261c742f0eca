/**
 * Environment variables of the memory that the engine keeps for resources no proxy is served. They
 * are named after a cache of resources; here every resource in use is stored once anyway, and they
 * bound what is kept for proxies that reconnect.
 *
 * @module
 */
import { declareEnv } from "../../kit/env/mod.ts";
import type { Keep } from "../graph/mod.ts";
import { retention } from "../translate/mod.ts";

const readers = ["pilot-discovery"] as const;

const PILOT_ENABLE_XDS_CACHE = declareEnv({
  name: "PILOT_ENABLE_XDS_CACHE",
  type: "bool",
  default: true,
  doc: "Cache resources that no proxy is served, for proxies that reconnect.",
  readers,
});
const PILOT_ENABLE_CDS_CACHE = declareEnv({
  name: "PILOT_ENABLE_CDS_CACHE",
  type: "bool",
  default: true,
  doc: "Cache clusters that no proxy is served.",
  readers,
});
const PILOT_ENABLE_RDS_CACHE = declareEnv({
  name: "PILOT_ENABLE_RDS_CACHE",
  type: "bool",
  default: true,
  doc: "Cache route tables and virtual hosts that no proxy is served.",
  readers,
});
const PILOT_XDS_CACHE_SIZE = declareEnv({
  name: "PILOT_XDS_CACHE_SIZE",
  type: "int",
  default: 60_000,
  range: { least: 0 },
  doc: "Maximum number of cached values that no proxy is served.",
  readers,
});
const MESH_XDS_CACHE_BYTES = declareEnv({
  name: "MESH_XDS_CACHE_BYTES",
  type: "int",
  default: 32 * 1024 * 1024,
  range: { least: 0 },
  doc: "Maximum of bytes of cached resources that no proxy is served.",
  readers,
});
const PILOT_XDS_CACHE_INDEX_CLEAR_INTERVAL = declareEnv({
  name: "PILOT_XDS_CACHE_INDEX_CLEAR_INTERVAL",
  type: "duration",
  default: "5s",
  range: { least: 1 },
  doc: "Interval at which the bounds of the cache are enforced while nothing is published.",
  readers,
});

/** Reads the bounds. */
export function readKeep(): Keep {
  return retention({
    anything: PILOT_ENABLE_XDS_CACHE.get(),
    clusters: PILOT_ENABLE_CDS_CACHE.get(),
    routes: PILOT_ENABLE_RDS_CACHE.get(),
    cells: PILOT_XDS_CACHE_SIZE.get(),
    bytes: MESH_XDS_CACHE_BYTES.get(),
  });
}

/** Reads the interval, in milliseconds, at which the bounds are enforced between publications. */
export function readEvictionInterval(): number {
  return PILOT_XDS_CACHE_INDEX_CLEAR_INTERVAL.get();
}
