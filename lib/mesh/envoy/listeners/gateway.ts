/**
 * Listeners of gateways.
 *
 * @module
 */
import {
  type Filter,
  type FilterChain,
  FilterChainSchema,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import { flatMapInParts, UNDIVIDED } from "../../../kit/base/mod.ts";
import { create, durationOf } from "../../../kit/proto/mod.ts";
import { serverTls } from "../authentication/mod.ts";
import { type ManagerDefaults, managerFilter } from "../connection_manager/mod.ts";
import { assemble, listenerName } from "./assemble.ts";
import { bySni, chain, tcpChains, tcpFilters, withDefault } from "./chain.ts";
import { proxyProtocol, tlsInspector } from "./detect.ts";
import { distinct } from "./distinct.ts";
import {
  type GatewayHttpInput,
  type GatewayTcpInput,
  type GatewayTlsInput,
  takesHttp3,
} from "./gateway_input.ts";
import type { SecurityPolicies } from "./security.ts";
import { type Binding, forwarding } from "./input.ts";

/**
 * Time in which a gateway's client must send its first bytes, and then complete its connection,
 * because clients may be slow or hostile, ms.
 */
const CONNECT_TIMEOUT_MS = 15_000;

/** The listener of an HTTP port. */
export function gatewayHttpListener(input: GatewayHttpInput): Listener {
  const http = managerFilter({
    class: "gateway",
    statPrefix: `outbound_${listenerName(input.bind, input.port)}`,
    routes: { rds: input.routeName },
    protocol: input.protocol,
    security: input.security?.http,
    defaults: input.manager,
  });
  return gatewayListener(input, [chain("", undefined, http)], false);
}

/** The listener of a TCP port. */
export function gatewayTcpListener(input: GatewayTcpInput): Listener {
  const chains = tcpChains(input.chains, forwarding(input.manager, "client"));
  for (const one of chains) one.filters.unshift(...securityOf(input));
  return gatewayListener(input, chains, bySni(chains));
}

/** A chain has all HTTP filters, which takes some tenths of a millisecond. */
const CHAIN_WEIGHT = 8;

/** The listener of a port with TLS. */
export function gatewayTlsListener(input: GatewayTlsInput): Listener {
  const { parts = UNDIVIDED } = input;
  const chains = flatMapInParts(parts, distinct(input.chains), ([one, filterChainMatch]) => {
    const { to, tls, mutual, sockets, alpn = [] } = one;
    if (filterChainMatch !== undefined) filterChainMatch.applicationProtocols.push(...alpn);
    return [create(FilterChainSchema, {
      filterChainMatch,
      filters: "tcp" in to
        ? [...securityOf(input), ...tcpFilters(to.tcp, forwarding(input.manager, "client"))]
        : [httpsFilter(input, to.routeName, takesHttp3(one) ? input.alternative : undefined)],
      transportSocket: mutual ?? (tls && serverTls(tls, sockets)),
    })];
  }, () => CHAIN_WEIGHT);
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
    security: input.security?.http,
    defaults: input.manager,
  });
}

function securityOf({ security }: { readonly security?: SecurityPolicies }): readonly Filter[] {
  return security?.tcp ?? [];
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
    firstBytesMs: CONNECT_TIMEOUT_MS,
  });
}
