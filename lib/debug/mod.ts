/**
 * Read-only views of the daemon.
 *
 * @module
 */
import type { Route } from "../web/mod.ts";
import { configDumpRoutes } from "./config_dump.ts";
import { configRoutes } from "./config.ts";
import { indexRoutes } from "./index_page.ts";
import type { DebugInputs } from "./inputs.ts";
import { proxyRoutes } from "./proxies.ts";

export { DEBUG_PATHS, type DebugPath } from "./index_page.ts";
export type { DebugInputs } from "./inputs.ts";

/** All routes under `/debug`. */
export function debugRoutes(inputs: DebugInputs): Route[] {
  return [
    ...indexRoutes(inputs),
    ...proxyRoutes(inputs),
    ...configDumpRoutes(inputs),
    ...configRoutes(inputs),
  ];
}
