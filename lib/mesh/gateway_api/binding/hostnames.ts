/**
 * Hostnames that a route and a listener have in common.
 *
 * @module
 */
import { intersectHosts } from "../../model/mod.ts";

/**
 * The hostnames for which a route is served by a listener; empty: none.
 *
 * @param listener hostname of the listener; empty: all
 * @param hostnames of the route; empty: all
 */
export function commonHostnames(
  listener: string | undefined,
  hostnames: readonly string[] | undefined,
): readonly string[] {
  const own = listener?.toLowerCase() || "*";
  if (hostnames === undefined || hostnames.length === 0) return [own];
  const common = hostnames.map((host) => intersectHosts(own, host.toLowerCase()));
  return [...new Set(common.filter((host) => host !== undefined))];
}
