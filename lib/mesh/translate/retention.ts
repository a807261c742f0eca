/**
 * Retention: bounds of the memory for resources that no proxy sees any more, in case one connects that
 * needs them.
 *
 * @module
 */
import type { Keep } from "../graph/mod.ts";

/** Settings of an operator. */
export interface RetentionOptions {
  /** True if anything is retained. */
  readonly anything: boolean;
  readonly clusters: boolean;
  /** Route tables and virtual hosts. */
  readonly routes: boolean;
  /** Number of computed values, resources included. */
  readonly cells: number;
  /** Bytes of the resources among them. */
  readonly bytes: number;
}

/** Collections that are retained: each is a set of references to resources, which have bounds of their own. */
const COLLECTIONS = 64;

/** Names of tables and collections of clusters. */
const CLUSTERS = /^(cds($|\.)|cluster\/)/;

/** Names of tables and collections of routes and virtual hosts. */
const ROUTES = /^((rds|vhost|vhds)($|[./])|route\/)/;

/** The bounds of the engine. */
export function retention(
  { anything, clusters, routes, cells, bytes }: RetentionOptions,
): Keep {
  if (!anything) return { collections: 0, cells: 0 };
  const bounds = { collections: COLLECTIONS, cells, bytes };
  if (clusters && routes) return bounds;
  const never = (name: string): boolean =>
    (!clusters && CLUSTERS.test(name)) || (!routes && ROUTES.test(name));
  return { ...bounds, never };
}
