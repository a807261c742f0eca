/**
 * The environment's switches of generation, read once at start.
 *
 * @module
 */
import type { Features } from "../../lib/translate/mod.ts";
import { readListeners } from "./features/listeners.ts";
import { readClusters } from "./features/clusters.ts";
import { readRoutes } from "./features/routes.ts";
import { readSecurity } from "./features/security.ts";
import { readTelemetry } from "./features/telemetry.ts";
import { readScope } from "./features/scope.ts";

/** Reads the switches; throws `MeshError` for a value that cannot be read. */
export function readFeatures(): Features {
  return {
    ...readListeners(),
    ...readClusters(),
    ...readRoutes(),
    ...readSecurity(),
    ...readTelemetry(),
    ...readScope(),
  };
}
