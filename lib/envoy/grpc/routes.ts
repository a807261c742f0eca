/**
 * Route tables for gRPC libraries: one for each target.
 *
 * @module
 */
import {
  type Route,
  RouteSchema,
  VirtualHostSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import {
  type RouteConfiguration,
  RouteConfigurationSchema,
} from "#envoy/config/route/v3/route_pb.ts";
import { create } from "../../proto/mod.ts";
import { FAULT_FILTER } from "../routes/mod.ts";
import { grpcOutcome } from "./action.ts";
import { grpcMatches } from "./match.ts";

/** What a table is made from. */
export interface GrpcRoutesInput {
  /** The table's name, and that of the cluster which calls reach without any rule. */
  readonly name: string;
  /** What programs dial, `host:port`. */
  readonly target: string;
  /** As proxies have them. */
  readonly routes: readonly Route[];
}

/**
 * Routes without what gRPC libraries refuse or pass over: rewriting, mirroring, headers that are
 * added or taken away, and what filters are told that libraries do not have.
 */
export function buildGrpcRoutes({ name, target, routes }: GrpcRoutesInput): RouteConfiguration {
  return create(RouteConfigurationSchema, {
    name,
    virtualHosts: [
      create(VirtualHostSchema, {
        name: target,
        // The table is the target's alone, whatever authority the program gives its calls.
        domains: ["*"],
        routes: routes.flatMap((route) => grpcRoutes(route, target, name)),
      }),
    ],
  });
}

function grpcRoutes(route: Route, target: string, own: string): Route[] {
  if (route.match === undefined) return [];
  const { action, fault } = grpcOutcome(route, own);
  return grpcMatches(route.match, target).map((match) =>
    create(RouteSchema, {
      name: route.name,
      match,
      action,
      typedPerFilterConfig: fault === undefined ? {} : { [FAULT_FILTER]: fault },
    })
  );
}
