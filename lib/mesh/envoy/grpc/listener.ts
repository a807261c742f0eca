/**
 * Listeners for gRPC libraries: one for each target of a client, one for each address of a server.
 *
 * @module
 */
import { ApiListenerSchema } from "#envoy/config/listener/v3/api_listener_pb.ts";
import {
  FilterChainSchema,
  FilterSchema,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import {
  NonForwardingActionSchema,
  RouteMatchSchema,
  RouteSchema,
  VirtualHostSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import {
  type RouteConfiguration,
  RouteConfigurationSchema,
} from "#envoy/config/route/v3/route_pb.ts";
import { HTTPFaultSchema } from "#envoy/extensions/filters/http/fault/v3/fault_pb.ts";
import { RouterSchema } from "#envoy/extensions/filters/http/router/v3/router_pb.ts";
import {
  type HttpConnectionManager,
  HttpConnectionManagerSchema,
  type HttpFilter,
  HttpFilterSchema,
  RdsSchema,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { lazily } from "../../../kit/base/mod.ts";
import { type Any, create, packAny } from "../../../kit/proto/mod.ts";
import { adsSource, socket } from "../core/mod.ts";
import { grpcServerTls } from "./tls.ts";

/** Prefix of the listener names that servers request; their address follows. */
export const SERVER_LISTENER_PREFIX = "xds.mesh.io/grpc/lds/inbound/";

const ROUTER = lazily(() => filter("envoy.filters.http.router", packAny(RouterSchema, {})));

const FAULT = lazily(() => filter("envoy.filters.http.fault", packAny(HTTPFaultSchema, {})));

function filter(name: string, value: Any): HttpFilter {
  return create(HttpFilterSchema, { name, configType: { case: "typedConfig", value } });
}

/** Builds the listener that a client requests for `xds:///HOST:PORT`. It names the route table. */
export function buildGrpcListener(target: string, routeName: string): Listener {
  const manager = create(HttpConnectionManagerSchema, {
    statPrefix: target,
    routeSpecifier: {
      case: "rds",
      value: create(RdsSchema, { configSource: adsSource(), routeConfigName: routeName }),
    },
    httpFilters: [FAULT(), ROUTER()],
  });
  return create(ListenerSchema, {
    name: target,
    apiListener: create(ApiListenerSchema, {
      apiListener: packAny(HttpConnectionManagerSchema, manager),
    }),
  });
}

/** Input of a server's listener. */
export interface GrpcServerInput {
  /** Address that the server listens on, without brackets. */
  readonly address: string;
  readonly port: number;
  readonly mutualTls: boolean;
  /** Authorization filters, in evaluation order. */
  readonly filters: readonly HttpFilter[];
}

/**
 * Builds the listener that a server requests for an address. gRPC's filter chain match cannot
 * distinguish plain from encrypted connections, so there is one chain: with mutual TLS or without.
 */
export function buildGrpcServerListener(input: GrpcServerInput): Listener {
  const { address, port, mutualTls } = input;
  const name = address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
  const manager: HttpConnectionManager = create(HttpConnectionManagerSchema, {
    statPrefix: name,
    routeSpecifier: { case: "routeConfig", value: everyCall() },
    httpFilters: [...input.filters, ROUTER()],
  });
  return create(ListenerSchema, {
    name: SERVER_LISTENER_PREFIX + name,
    address: socket(address, port),
    filterChains: [
      create(FilterChainSchema, {
        name: "default",
        filters: [
          create(FilterSchema, {
            name: "envoy.filters.network.http_connection_manager",
            configType: {
              case: "typedConfig",
              value: packAny(HttpConnectionManagerSchema, manager),
            },
          }),
        ],
        transportSocket: mutualTls ? grpcServerTls() : undefined,
      }),
    ],
  });
}

/** Routes every call to the server itself. */
function everyCall(): RouteConfiguration {
  return create(RouteConfigurationSchema, {
    name: "inbound",
    virtualHosts: [
      create(VirtualHostSchema, {
        name: "inbound",
        domains: ["*"],
        routes: [
          create(RouteSchema, {
            match: create(RouteMatchSchema, {
              pathSpecifier: { case: "prefix", value: "/" },
            }),
            action: { case: "nonForwardingAction", value: create(NonForwardingActionSchema) },
          }),
        ],
      }),
    ],
  });
}
