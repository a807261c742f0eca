/**
 * Routes of tunnels (HBONE): where the content of a tunnel goes, by its authority.
 *
 * @module
 */
import { type VirtualHost, VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import {
  type RouteConfiguration,
  RouteConfigurationSchema,
} from "#envoy/config/route/v3/route_pb.ts";
import type { FilterStateValue } from "#envoy/extensions/filters/common/set_filter_state/v3/value_pb.ts";
import { ConfigSchema as HttpStateSchema } from "#envoy/extensions/filters/http/set_filter_state/v3/set_filter_state_pb.ts";
import { create, durationOf, packAny } from "../../../kit/proto/mod.ts";
import { CONNECT_TERMINATE, DESTINATION_STATE, MAIN_INTERNAL } from "../core/mod.ts";
import { state } from "./tunnel_state.ts";

/** The method and the upgrade of tunnels. */
export const CONNECT = "CONNECT";

/** Name of the filter that keeps the authority and the identities of a tunnel. */
export const AUTHORITY_FILTER = "connect_authority";

/** Tunnels to one authority, or to any. */
export interface TunnelRoute {
  /** `host:port`, or `*`. */
  readonly authority: string;
  readonly cluster: string;
  /**
   * `address:port` that the content is meant for, or a port at the address where the tunnel ends; unset: what
   * the authority says.
   */
  readonly to?: string | number;
}

/** The route table of the end of tunnels. Authorities without a route are refused. */
export function tunnelRouteTable(routes: readonly TunnelRoute[]): RouteConfiguration {
  return create(RouteConfigurationSchema, {
    name: CONNECT_TERMINATE,
    virtualHosts: routes.map(virtualHostOf),
    validateClusters: false,
  });
}

/** The routes of an end of tunnels at which the content goes on in the proxy. */
export const INTO_PROXY: TunnelRoute = { authority: "*", cluster: MAIN_INTERNAL };

/** The address where a tunnel ends. Envoy skips a state that is no address: one form is for each version of IP. */
const ENDED_AT = "%DOWNSTREAM_LOCAL_ADDRESS_WITHOUT_PORT%";

function virtualHostOf({ authority, cluster, to }: TunnelRoute): VirtualHost {
  return create(VirtualHostSchema, {
    name: authority === "*" ? CONNECT_TERMINATE : authority,
    domains: [authority],
    routes: [{
      match: { pathSpecifier: { case: "connectMatcher", value: {} } },
      action: {
        case: "route",
        value: {
          clusterSpecifier: { case: "cluster", value: cluster },
          timeout: durationOf(0),
          upgradeConfigs: [{ upgradeType: CONNECT, connectConfig: {} }],
        },
      },
    }],
    typedPerFilterConfig: to === undefined ? {} : {
      [AUTHORITY_FILTER]: packAny(HttpStateSchema, {
        onRequestHeaders: typeof to === "string"
          ? [destinationState(to)]
          : [`${ENDED_AT}:${to}`, `[${ENDED_AT}]:${to}`].map(destinationState),
      }),
    },
  });
}

/** Filter state with the destination of the content, as text with substitutions. */
export function destinationState(format: string): FilterStateValue {
  return state(DESTINATION_STATE, format);
}
