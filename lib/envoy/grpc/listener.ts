/**
 * Listeners for gRPC libraries: on the client's side one for each target, on the server's side one
 * for each address that is served.
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
import { lazily } from "../../base/mod.ts";
import { type Any, create, packAny } from "../../proto/mod.ts";
import { adsSource, socket } from "../core/mod.ts";
import { grpcServerTls } from "./tls.ts";

/** Begin of the names under which servers ask for their listeners; their address follows. */
export const SERVER_LISTENER_PREFIX = "xds.mesh.io/grpc/lds/inbound/";

const ROUTER = lazily(() => filter("envoy.filters.http.router", packAny(RouterSchema, {})));

const FAULT = lazily(() => filter("envoy.filters.http.fault", packAny(HTTPFaultSchema, {})));

function filter(name: string, value: Any): HttpFilter {
  return create(HttpFilterSchema, { name, configType: { case: "typedConfig", value } });
}

/** What a client asks for that dials `xds:///HOST:PORT`: where its routes are. */
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

/** What a server's listener is made from. */
export interface GrpcServerInput {
  /** Address that the server listens on, without brackets. */
  readonly address: string;
  readonly port: number;
  readonly mutualTls: boolean;
  /** Filters of access control, in the order in which they are asked. */
  readonly filters: readonly HttpFilter[];
}

/**
 * What a server asks for that listens on an address. gRPC's match of filter chains cannot tell
 * plain connections from encrypted ones, so there is one chain: either mutual TLS or none.
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

/** Every call goes to the server itself. */
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
