/**
 * Routes of several VirtualServices in one virtual host.
 *
 * @module
 */
import type { Route } from "#envoy/config/route/v3/route_components_pb.ts";
import { isCatchAll } from "../matching/mod.ts";

/**
 * Joins the routes of several VirtualServices, in order. Routes that match every request are moved
 * to the end, so that the default route of one VirtualService does not hide the routes of others.
 */
export function joinRoutes(of: readonly (readonly Route[])[]): readonly Route[] {
  const routes = of.flat();
  const [last, first] = [routes.filter(takesAll), routes.filter((route) => !takesAll(route))];
  return [...first, ...last];
}

function takesAll({ match }: Route): boolean {
  return match !== undefined && isCatchAll(match);
}
