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
import { create } from "../../../kit/proto/mod.ts";
import { FAULT_FILTER } from "../routes/mod.ts";
import { grpcOutcome } from "./action.ts";
import { grpcMatches } from "./match.ts";

/** Input of a route table. */
export interface GrpcRoutesInput {
  /** Name of the table, and of the cluster of calls that no rule matches. */
  readonly name: string;
  /** Dialed target, `host:port`. */
  readonly target: string;
  /** Routes as built for proxies. */
  readonly routes: readonly Route[];
}

/**
 * Builds the table without features that gRPC libraries reject or ignore: rewrites, mirroring,
 * header changes, and configuration of unsupported filters.
 */
export function buildGrpcRoutes({ name, target, routes }: GrpcRoutesInput): RouteConfiguration {
  return create(RouteConfigurationSchema, {
    name,
    virtualHosts: [
      create(VirtualHostSchema, {
        name: target,
        // The table is used for only one target, whatever authority the calls have.
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
