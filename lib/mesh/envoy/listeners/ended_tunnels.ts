/**
 * The listener of a waypoint behind a node proxy. The node proxy ends tunnels, and tells their destination, source and
 * client by a header of the PROXY protocol before the content.
 *
 * @module
 */
import { FilterSchema } from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import { TcpProxySchema } from "#envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.ts";
import { create, durationOf, packAny } from "../../../kit/proto/mod.ts";
import { MAIN_INTERNAL, PEER_PRINCIPAL, PROXY_TERMINATE, SOURCE_STATE } from "../core/mod.ts";
import { assemble } from "./assemble.ts";
import { chain } from "./chain.ts";
import { proxyProtocolWith } from "./detect.ts";
import type { Binding } from "./input.ts";
import { destinationState } from "./tunnel_routes.ts";
import { setStates, state, TEXT } from "./tunnel_state.ts";
import type { TunnelListener } from "./tunnels.ts";

/** Type of the value of the header with the identity of the client. */
const IDENTITY_TYPE = 0xd0;

/** Key of that value in the metadata of the connection. */
const IDENTITY_KEY = "peer_principal";

const METADATA = "envoy.filters.listener.proxy_protocol";

/** Builds the listener. Connections without the header are closed. */
export function proxyTerminate(input: Binding & TunnelListener): Listener {
  const { idleTimeoutMs } = input;
  const forward = create(FilterSchema, {
    name: "envoy.filters.network.tcp_proxy",
    configType: {
      case: "typedConfig",
      value: packAny(TcpProxySchema, {
        statPrefix: PROXY_TERMINATE,
        clusterSpecifier: { case: "cluster", value: MAIN_INTERNAL },
        idleTimeout: idleTimeoutMs === undefined ? undefined : durationOf(idleTimeoutMs),
      }),
    },
  });
  const known = setStates([
    destinationState("%DOWNSTREAM_LOCAL_ADDRESS%"),
    state(SOURCE_STATE, "%DOWNSTREAM_REMOTE_ADDRESS%"),
    state(PEER_PRINCIPAL, `%DYNAMIC_METADATA(${METADATA}:${IDENTITY_KEY})%`, TEXT),
  ]);
  return assemble({
    ...input,
    name: PROXY_TERMINATE,
    direction: "inbound",
    bindToPort: true,
    chains: [chain(PROXY_TERMINATE, undefined, forward, { security: [known] })],
    listenerFilters: [proxyProtocolWith(IDENTITY_TYPE, IDENTITY_KEY)],
  });
}
