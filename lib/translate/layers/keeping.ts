/**
 * What stays in memory of what no proxy is served any more, for the case that one
 * comes back for it.
 *
 * @module
 */
import type { Keep } from "../../graph/mod.ts";

/** What an operator may say about it. */
export interface KeepingOptions {
  /** Whether anything stays at all, of any type. */
  readonly anything: boolean;
  readonly clusters: boolean;
  /** Route tables and virtual hosts. */
  readonly routes: boolean;
  /** Computed values, resources among them. */
  readonly cells: number;
  /** Bytes of the resources among them. */
  readonly bytes: number;
}

/** Layers that stay: each is a set of references to resources, which are bounded themselves. */
const COLLECTIONS = 64;

/** Tables and collections of clusters, by the names they are given in this room. */
const CLUSTERS = /^(cds($|\.)|cluster\/)/;

/** Of routes and virtual hosts. */
const ROUTES = /^((rds|vhost|vhds)($|[./])|route\/)/;

/** The engine's bounds. */
export function keeping(
  { anything, clusters, routes, cells, bytes }: KeepingOptions,
): Keep {
  if (!anything) return { collections: 0, cells: 0 };
  const bounds = { collections: COLLECTIONS, cells, bytes };
  if (clusters && routes) return bounds;
  const never = (name: string): boolean =>
    (!clusters && CLUSTERS.test(name)) || (!routes && ROUTES.test(name));
  return { ...bounds, never };
}
