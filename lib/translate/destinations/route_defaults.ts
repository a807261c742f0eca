/**
 * Defaults of routes.
 *
 * @module
 */
import type { MeshRouteDefaults } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { Context } from "../context/mod.ts";

/** Defaults of routes. */
export function routeDefaults(read: Read, context: Context): MeshRouteDefaults {
  const { mesh, features } = context;
  return {
    ...context.settings(read, "routes"),
    defaultHttpRetryPolicy: mesh.field(read, "defaultHttpRetryPolicy"),
    excludeUnsafe503: features.excludeUnsafe503,
  };
}
