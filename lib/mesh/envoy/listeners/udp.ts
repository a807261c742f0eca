/**
 * A gateway's listener of UDP, which forwards datagrams to one cluster.
 *
 * @module
 */
import { TrafficDirection } from "#envoy/config/core/v3/base_pb.ts";
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { RouteSchema } from "#envoy/extensions/filters/udp/udp_proxy/v3/route_pb.ts";
import { UdpProxyConfigSchema } from "#envoy/extensions/filters/udp/udp_proxy/v3/udp_proxy_pb.ts";
import { create, packAny } from "../../../kit/proto/mod.ts";
import { udpAddress } from "../core/mod.ts";
import { listenerName } from "./assemble.ts";
import type { Binding } from "./input.ts";

/** Builds the listener; datagrams of one client go to one endpoint while its session lasts. */
export function gatewayUdpListener(
  { bind, port, extraBinds = [] }: Binding,
  cluster: string,
): Listener {
  const name = `udp_${listenerName(bind, port)}`;
  const typedConfig = packAny(UdpProxyConfigSchema, {
    statPrefix: `outbound_${name}`,
    routeSpecifier: {
      case: "matcher",
      value: {
        onNoMatch: {
          onMatch: {
            case: "action",
            value: { name: "route", typedConfig: packAny(RouteSchema, { cluster }) },
          },
        },
      },
    },
  });
  return create(ListenerSchema, {
    name,
    address: udpAddress(bind, port),
    additionalAddresses: extraBinds.map((extra) => ({ address: udpAddress(extra, port) })),
    trafficDirection: TrafficDirection.OUTBOUND,
    udpListenerConfig: { downstreamSocketConfig: {} },
    listenerFilters: [{
      name: "envoy.filters.udp_listener.udp_proxy",
      configType: { case: "typedConfig", value: typedConfig },
    }],
  });
}
