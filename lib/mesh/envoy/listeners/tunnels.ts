/**
 * Listeners of tunnels (HBONE): where they end, and where they begin.
 *
 * @module
 */
import type { TransportSocket } from "#envoy/config/core/v3/base_pb.ts";
import { type Filter, FilterSchema } from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import type { FilterStateValue } from "#envoy/extensions/filters/common/set_filter_state/v3/value_pb.ts";
import { ConfigSchema as HttpStateSchema } from "#envoy/extensions/filters/http/set_filter_state/v3/set_filter_state_pb.ts";
import { RouterSchema } from "#envoy/extensions/filters/http/router/v3/router_pb.ts";
import {
  HttpConnectionManager_CodecType as CodecType,
  HttpConnectionManagerSchema,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { ConfigSchema as ConnectionStateSchema } from "#envoy/extensions/filters/network/set_filter_state/v3/set_filter_state_pb.ts";
import { TcpProxySchema } from "#envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.ts";
import { create, durationOf, packAny } from "../../../kit/proto/mod.ts";
import {
  adsSource,
  CONNECT_ORIGINATE,
  CONNECT_TERMINATE,
  LOCAL_PRINCIPAL,
  PEER_PRINCIPAL,
  SOURCE_STATE,
  TUNNEL_KEYS,
  TUNNEL_METADATA,
} from "../core/mod.ts";
import { assemble, assembleInternal, type ListenerParts } from "./assemble.ts";
import { chain } from "./chain.ts";
import { originalDestination } from "./detect.ts";
import type { Binding } from "./input.ts";
import {
  AUTHORITY_FILTER,
  CONNECT,
  destinationState,
  INTO_PROXY,
  tunnelRouteTable,
} from "./tunnel_routes.ts";
import { state, TEXT } from "./tunnel_state.ts";

/** Settings of the listeners of tunnels. */
export interface TunnelListener {
  /** Time after which a tunnel without bytes is closed, ms; `undefined`: Envoy's default. */
  readonly idleTimeoutMs?: number | undefined;
  readonly manager: ListenerParts["manager"];
}

/** Filter state of the content of a tunnel: destination, source, and both identities. */
function statesOfContent(): FilterStateValue[] {
  return [
    destinationState("%REQ(:AUTHORITY)%"),
    state(SOURCE_STATE, "%DOWNSTREAM_REMOTE_ADDRESS%"),
    state(PEER_PRINCIPAL, "%DOWNSTREAM_PEER_URI_SAN%", TEXT),
    state(LOCAL_PRINCIPAL, "%DOWNSTREAM_LOCAL_URI_SAN%", TEXT),
  ];
}

/** Input of {@link connectTerminate}. */
export interface TerminateInput extends Binding, TunnelListener {
  /** TLS of tunnels. */
  readonly tls: TransportSocket;
  /** `on demand`: its routes are the table `connect_terminate`; default: all content goes on in the proxy. */
  readonly routes?: "on demand";
  /** True: the content goes to other proxies as it is; default: false. */
  readonly forwards?: boolean;
}

/** Builds the listener at which tunnels end. */
export function connectTerminate(input: TerminateInput): Listener {
  const filter = create(FilterSchema, {
    name: "envoy.filters.network.http_connection_manager",
    configType: {
      case: "typedConfig",
      value: packAny(HttpConnectionManagerSchema, {
        statPrefix: CONNECT_TERMINATE,
        codecType: CodecType.HTTP2,
        routeSpecifier: input.routes === "on demand"
          ? {
            case: "rds",
            value: { configSource: adsSource(), routeConfigName: CONNECT_TERMINATE },
          }
          : { case: "routeConfig", value: tunnelRouteTable([INTO_PROXY]) },
        httpFilters: [
          ...input.forwards === true ? [] : [{
            name: AUTHORITY_FILTER,
            configType: {
              case: "typedConfig" as const,
              value: packAny(HttpStateSchema, { onRequestHeaders: statesOfContent() }),
            },
          }],
          {
            name: "envoy.filters.http.router",
            configType: { case: "typedConfig", value: packAny(RouterSchema, {}) },
          },
        ],
        http2ProtocolOptions: { allowConnect: true },
        upgradeConfigs: [{ upgradeType: CONNECT }],
        streamIdleTimeout: durationOf(input.idleTimeoutMs ?? 0),
      }),
    },
  });
  return assemble({
    ...input,
    name: CONNECT_TERMINATE,
    direction: "inbound",
    bindToPort: true,
    chains: [chain(CONNECT_TERMINATE, undefined, filter, { transportSocket: input.tls })],
  });
}

/** Filter state with the names that the certificate of a server may have. */
const SERVER_NAMES = "envoy.network.upstream_subject_alt_names";

/** Builds the internal listener that opens tunnels. */
export function connectOriginate({ idleTimeoutMs, manager }: TunnelListener): Listener {
  const forward = create(FilterSchema, {
    name: "envoy.filters.network.tcp_proxy",
    configType: {
      case: "typedConfig",
      value: packAny(TcpProxySchema, {
        statPrefix: CONNECT_ORIGINATE,
        clusterSpecifier: { case: "cluster", value: CONNECT_ORIGINATE },
        idleTimeout: idleTimeoutMs === undefined ? undefined : durationOf(idleTimeoutMs),
        tunnelingConfig: { hostname: "%DOWNSTREAM_LOCAL_ADDRESS%" },
      }),
    },
  });
  return assembleInternal({
    name: CONNECT_ORIGINATE,
    direction: "outbound",
    manager,
    chains: [chain(CONNECT_ORIGINATE, undefined, forward, { security: [expectedServer()] })],
    listenerFilters: [originalDestination()],
  });
}

/** Only the workload that the endpoint names may be at the end of its tunnel. */
function expectedServer(): Filter {
  const format = `%DYNAMIC_METADATA(${TUNNEL_METADATA}:${TUNNEL_KEYS.identity})%`;
  return create(FilterSchema, {
    name: "envoy.filters.network.set_filter_state",
    configType: {
      case: "typedConfig",
      value: packAny(ConnectionStateSchema, { onNewConnection: [state(SERVER_NAMES, format)] }),
    },
  });
}
