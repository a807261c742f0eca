/**
 * Parts of HTTP tunnels (HBONE): names, filter state, and the socket to an internal listener.
 *
 * @module
 */
import { type Address, AddressSchema } from "#envoy/config/core/v3/address_pb.ts";
import { type TransportSocket, TransportSocketSchema } from "#envoy/config/core/v3/base_pb.ts";
import { InternalUpstreamTransportSchema } from "#envoy/extensions/transport_sockets/internal_upstream/v3/internal_upstream_pb.ts";
import { create, packAny } from "../../../kit/proto/mod.ts";
import { rawSocket } from "./tls_context.ts";

/** Port at which workloads accept tunnels. */
export const TUNNEL_PORT = 15008;

/** The listener at which tunnels end. */
export const CONNECT_TERMINATE = "connect_terminate";

/** The listener that takes the content of tunnels which a node proxy ended, after headers of the PROXY protocol. */
export const PROXY_TERMINATE = "proxy_terminate";

/** The internal listener, and its cluster, to which the content of ended tunnels goes. */
export const MAIN_INTERNAL = "main_internal";

/** The internal listener that opens tunnels, and the cluster of their ends. */
export const CONNECT_ORIGINATE = "connect_originate";

/** The internal listener that opens the inner tunnel to another network, and the cluster behind it. */
export const INNER_ORIGINATE = "inner_connect_originate";

/** The internal listener that opens the outer tunnel around it, and the cluster of its ends. */
export const OUTER_ORIGINATE = "outer_connect_originate";

/** Filter state: `host:port` of the service that both tunnels to another network lead to. */
export const SERVICE_STATE = "io.mesh.tunnel_service";

/** Filter state: identities that the gateway of another network may have. */
export const GATEWAY_STATE = "io.mesh.gateway_identity";

/** Filter state: the identity of the client at the other end of a tunnel. */
export const PEER_PRINCIPAL = "io.mesh.peer_principal";

/** Filter state: the identity of the proxy, as the client at the other end of a tunnel saw it. */
export const LOCAL_PRINCIPAL = "io.mesh.local_principal";

/** Filter state with the original destination of a connection through an internal listener. */
export const DESTINATION_STATE = "envoy.filters.listener.original_dst.local_ip";

/** Filter state with the original source of a connection through an internal listener. */
export const SOURCE_STATE = "envoy.filters.listener.original_dst.remote_ip";

/** Endpoint metadata about the tunnel: the keys are those of {@link TUNNEL_KEYS}. */
export const TUNNEL_METADATA = "envoy.filters.listener.original_dst";

/** Keys of {@link TUNNEL_METADATA}. */
export const TUNNEL_KEYS = {
  /** `address:port` that the tunnel leads to. */
  to: "local",
  /** `address:port` of the waypoint at which the tunnel ends; absent: at the destination itself. */
  waypoint: "waypoint",
  /** Identities that the end of the tunnel may have, separated by commas; absent: any of the mesh. */
  identity: "identity",
  /** `host:port` of a service in another network; absent: there is no inner tunnel. */
  service: "service",
  /** Identities that the gateway of that network may have; absent: any of the mesh. */
  gateway: "gateway",
} as const;

/** Key and value in the metadata of endpoints that select the socket of tunnels. */
export const TUNNEL_MODE = { key: "tunnel", http: "http" } as const;

/**
 * The transport socket to an internal listener. It hands over the metadata about the tunnel.
 *
 * @param content socket of the content; default: without security
 */
export function internalSocket(content: TransportSocket = rawSocket()): TransportSocket {
  return create(TransportSocketSchema, {
    name: "envoy.transport_sockets.internal_upstream",
    configType: {
      case: "typedConfig",
      value: packAny(InternalUpstreamTransportSchema, {
        passthroughMetadata: [{
          kind: { kind: { case: "host", value: {} } },
          name: TUNNEL_METADATA,
        }],
        transportSocket: content,
      }),
    },
  });
}

/** The address of the internal listener that opens tunnels, for one destination. */
export function tunnelAddress(tunnel: TunnelEnds): Address {
  return internalAddress(tunnelListener(tunnel), tunnelId(tunnel));
}

/** The ends of a tunnel; see `TunnelTo`. */
export interface TunnelEnds {
  readonly to: string;
  readonly waypoint: string;
  readonly across?: unknown;
}

/** The internal listener that opens a tunnel. */
export function tunnelListener({ across }: Pick<TunnelEnds, "across">): string {
  return across === undefined ? CONNECT_ORIGINATE : INNER_ORIGINATE;
}

/** Tells tunnels apart: the destination, and the waypoint if there is one. */
export function tunnelId({ to, waypoint }: TunnelEnds): string {
  return waypoint === "" ? to : `${to};${waypoint}`;
}

/**
 * The address of an internal listener.
 *
 * @param endpointId tells endpoints with the same listener apart
 */
export function internalAddress(listener: string, endpointId = ""): Address {
  return create(AddressSchema, {
    address: {
      case: "envoyInternalAddress",
      value: {
        addressNameSpecifier: { case: "serverListenerName", value: listener },
        endpointId,
      },
    },
  });
}
