/**
 * Environment variables of the debug pages.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../kit/env/mod.ts";

const readers = ["pilot-discovery"] as const;

/** True: the debug pages are served. */
export const ENABLE_DEBUG_ON_HTTP: EnvVar<boolean> = declareEnv({
  name: "ENABLE_DEBUG_ON_HTTP",
  type: "bool",
  default: true,
  doc: "Serve the debug pages; disable them in production.",
  readers,
});

/** True: debug pages that change things are served. */
export const UNSAFE_ENABLE_ADMIN_ENDPOINTS: EnvVar<boolean> = declareEnv({
  name: "UNSAFE_ENABLE_ADMIN_ENDPOINTS",
  type: "bool",
  default: false,
  doc: "Serve debug pages that change things; not for production.",
  readers,
});
