/**
 * Listeners of gateways.
 *
 * @module
 */
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import {
  type Filter,
  type FilterChain,
  FilterChainSchema,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { TransportSocket } from "#envoy/config/core/v3/base_pb.ts";
import type { ServerTLSSettings } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import type { Protocol } from "../../model/mod.ts";
import { create, durationOf } from "../../proto/mod.ts";
import { assemble, listenerName } from "./assemble.ts";
import { chain, tcpChains, tcpFilters, withDefault } from "./chain.ts";
import { proxyProtocol, tlsInspector } from "./detect.ts";
import { distinct } from "./distinct.ts";
import type { Guard } from "./guard.ts";
import { type Binding, forwarding, type ManagerDefaults, type TcpChain } from "./input.ts";
import { managerFilter } from "./manager.ts";
import { takesHttp3 } from "./quic.ts";
import { bySni } from "./outbound.ts";
import { serverTls } from "./tls.ts";

/** An HTTP port of a gateway; servers that share it differ in the route table alone. */
export interface GatewayHttpInput extends Binding {
  /** Route table, for example `http.8080`. */
  readonly routeName: string;
  readonly protocol?: Protocol;
  readonly manager: ManagerDefaults;
  /** Default: nothing is refused. */
  readonly guard?: Guard;
}

/** A TCP port of a gateway. */
export interface GatewayTcpInput extends Binding {
  /** Of two for the same connections the first counts. */
  readonly chains: readonly TcpChain[];
  readonly manager: ManagerDefaults;
  /** Default: nothing is refused. */
  readonly guard?: Guard;
}

/** Connections of a server with TLS, told apart from others by its hosts. */
export interface GatewayTlsChain {
  /** Names of the server. */
  readonly sniHosts: readonly string[];
  /** Ranges that the connections must be meant for; `undefined` or empty: any. */
  readonly destinationCidrs?: readonly string[];
  /** Ends the clients' TLS; without it the connections go on as they are. */
  readonly tls?: ServerTLSSettings;
  /** Ends it as workloads do, in place of `tls`. */
  readonly mutual?: TransportSocket;
  /** Route table of the requests inside, or where the connections go. */
  readonly to: { readonly routeName: string } | { readonly tcp: TcpChain };
}

/** A port of a gateway whose servers are told apart by TLS server name. */
export interface GatewayTlsInput extends Binding {
  /** Of two for the same connections the first counts. */
  readonly chains: readonly GatewayTlsChain[];
  readonly manager: ManagerDefaults;
  /** Default: nothing is refused. */
  readonly guard?: Guard;
  /** Port at which clients are told that the same servers take HTTP/3, those whose chains {@link takesHttp3}. */
  readonly alternative?: number | undefined;
}

/** A client of a gateway may be slow or hostile: its connection must be ready within this time, ms. */
const CONNECT_TIMEOUT_MS = 15_000;

/** The listener of an HTTP port. */
export function gatewayHttpListener(input: GatewayHttpInput): Listener {
  const http = managerFilter({
    class: "gateway",
    statPrefix: `outbound_${listenerName(input.bind, input.port)}`,
    routes: { rds: input.routeName },
    protocol: input.protocol,
    guard: input.guard?.http,
    defaults: input.manager,
  });
  return gatewayListener(input, [chain("", undefined, http)], false);
}

/** The listener of a TCP port. */
export function gatewayTcpListener(input: GatewayTcpInput): Listener {
  const chains = tcpChains(input.chains, forwarding(input.manager, "client"));
  for (const one of chains) one.filters.unshift(...guardOf(input));
  return gatewayListener(input, chains, bySni(chains));
}

/** The listener of a port with TLS. */
export function gatewayTlsListener(input: GatewayTlsInput): Listener {
  const chains = distinct(input.chains).map(([one, filterChainMatch]) => {
    const { to, tls, mutual } = one;
    return create(FilterChainSchema, {
      filterChainMatch,
      filters: "tcp" in to
        ? [...guardOf(input), ...tcpFilters(to.tcp, forwarding(input.manager, "client"))]
        : [httpsFilter(input, to.routeName, takesHttp3(one) ? input.alternative : undefined)],
      transportSocket: mutual ?? (tls && serverTls(tls, "routeName" in to)),
    });
  });
  return gatewayListener(input, chains, true);
}

function httpsFilter(
  input: GatewayTlsInput,
  routeName: string,
  alternative: number | undefined,
): Filter {
  return managerFilter({
    alternative,
    class: "gateway",
    statPrefix: `outbound_${listenerName(input.bind, input.port)}`,
    routes: { rds: routeName },
    guard: input.guard?.http,
    defaults: input.manager,
  });
}

function guardOf({ guard }: { readonly guard?: Guard }): readonly Filter[] {
  return guard?.tcp ?? [];
}

function gatewayListener(
  input: Binding & { readonly manager: ManagerDefaults },
  chains: readonly FilterChain[],
  detects: boolean,
): Listener {
  for (const c of chains) c.transportSocketConnectTimeout = durationOf(CONNECT_TIMEOUT_MS);
  return assemble({
    ...input,
    direction: "outbound",
    bindToPort: true,
    ...withDefault(chains, undefined),
    listenerFilters: [
      ...(input.manager.settings?.topology?.proxyProtocol === undefined ? [] : [proxyProtocol()]),
      ...(detects ? [tlsInspector()] : []),
    ],
    detects,
  });
}
