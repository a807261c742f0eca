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
  type HttpFilter,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { TcpProxySchema } from "#envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.ts";
import { create, durationOf, packAny } from "../../../kit/proto/mod.ts";
import {
  adsSource,
  CONNECT_ORIGINATE,
  CONNECT_TERMINATE,
  GATEWAY_STATE,
  INNER_ORIGINATE,
  LOCAL_PRINCIPAL,
  OUTER_ORIGINATE,
  PEER_PRINCIPAL,
  SERVICE_STATE,
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
import { ownState, setStates, state, TEXT } from "./tunnel_state.ts";

/** Filter state with the names that the certificate of a server may have. */
const SERVER_NAMES = "envoy.network.upstream_subject_alt_names";

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
  /** Set: the content goes to other proxies as it is, if these filters let the tunnel in. */
  readonly forwards?: readonly HttpFilter[];
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
          ...input.forwards ?? [{
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

/** Builds the internal listener that opens tunnels. */
export function connectOriginate(input: TunnelListener): Listener {
  return originateAt(CONNECT_ORIGINATE, "%DOWNSTREAM_LOCAL_ADDRESS%", expectedServer(), input);
}

/** A listener that opens tunnels with an authority, at the cluster of its name. */
function originateAt(
  name: string,
  authority: string,
  expected: Filter,
  { idleTimeoutMs, manager }: TunnelListener,
): Listener {
  const forward = create(FilterSchema, {
    name: "envoy.filters.network.tcp_proxy",
    configType: {
      case: "typedConfig",
      value: packAny(TcpProxySchema, {
        statPrefix: name,
        clusterSpecifier: { case: "cluster", value: name },
        idleTimeout: idleTimeoutMs === undefined ? undefined : durationOf(idleTimeoutMs),
        tunnelingConfig: { hostname: authority },
      }),
    },
  });
  return assembleInternal({
    name,
    direction: "outbound",
    manager,
    chains: [chain(name, undefined, forward, { security: [expected] })],
    listenerFilters: [originalDestination()],
  });
}

/** Only the workload that the endpoint names may be at the end of its tunnel. */
function expectedServer(): Filter {
  return setStates([state(SERVER_NAMES, ofEndpoint("identity"))]);
}

/** The substitution for a value in the metadata of an endpoint. */
function ofEndpoint(key: keyof typeof TUNNEL_KEYS): string {
  return `%DYNAMIC_METADATA(${TUNNEL_METADATA}:${TUNNEL_KEYS[key]})%`;
}

/**
 * Builds the internal listeners that open tunnels to other networks: the inner one, to a workload or waypoint
 * there, and the outer one around it, to the gateway of the network. Both name the service.
 */
export function acrossOriginate(input: TunnelListener): Listener[] {
  const inner = setStates([
    ownState(SERVER_NAMES, ofEndpoint("identity")),
    destinationState(ofEndpoint("to")),
    state(SERVICE_STATE, ofEndpoint("service"), TEXT),
    state(GATEWAY_STATE, ofEndpoint("gateway"), TEXT),
  ]);
  const outer = setStates([ownState(SERVER_NAMES, `%FILTER_STATE(${GATEWAY_STATE}:PLAIN)%`)]);
  return [
    originateAt(INNER_ORIGINATE, ofEndpoint("service"), inner, input),
    originateAt(OUTER_ORIGINATE, `%FILTER_STATE(${SERVICE_STATE}:PLAIN)%`, outer, input),
  ];
}
