/**
 * Environment variables that the daemon's composition reads itself.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../lib/env/mod.ts";

const readers = ["pilot-discovery"];

/** Whether the debug pages are served. */
export const ENABLE_DEBUG_ON_HTTP: EnvVar<boolean> = declareEnv({
  name: "ENABLE_DEBUG_ON_HTTP",
  type: "bool",
  default: true,
  doc: "Serve the debug pages; switching them off is advised in production.",
  readers,
});

/** Whether metrics are for this machine alone. */
export const METRICS_LOCALHOST_ACCESS_ONLY: EnvVar<boolean> = declareEnv({
  name: "METRICS_LOCALHOST_ACCESS_ONLY",
  type: "bool",
  default: false,
  doc: "Answer requests for metrics from this machine only.",
  readers,
});

/** The pod the daemon runs in; named to proxies as who serves them. */
export const POD_NAME: EnvVar<string | undefined> = declareEnv({
  name: "POD_NAME",
  type: "string",
  doc: "Name of the own pod; the host name where it is not set.",
  readers,
});
