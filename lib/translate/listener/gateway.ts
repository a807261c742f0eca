/**
 * Listeners of gateways.
 *
 * @module
 */
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import type { FilterChain } from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { Protocol } from "../../model/mod.ts";
import { durationOf } from "../../proto/mod.ts";
import { assemble, listenerName } from "./assemble.ts";
import { chain, tcpChains, withDefault } from "./chain.ts";
import { tlsInspector } from "./detect.ts";
import type { Binding, ManagerDefaults, TcpChain } from "./input.ts";
import { managerFilter } from "./manager.ts";
import { bySni } from "./outbound.ts";

/** An HTTP port of a gateway; servers that share it differ in the route table alone. */
export interface GatewayHttpInput extends Binding {
  /** Route table, for example `http.8080`. */
  readonly routeName: string;
  readonly protocol?: Protocol;
  /** `gatewayTopology.numTrustedProxies`. */
  readonly xffNumTrustedHops?: number;
  readonly manager: ManagerDefaults;
}

/** A TCP port of a gateway. */
export interface GatewayTcpInput extends Binding {
  /** Of two for the same connections the first counts. */
  readonly chains: readonly TcpChain[];
  readonly manager: ManagerDefaults;
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
    xffNumTrustedHops: input.xffNumTrustedHops,
    defaults: input.manager,
  });
  return gatewayListener(input, [chain("", undefined, http)], false);
}

/** The listener of a TCP port. */
export function gatewayTcpListener(input: GatewayTcpInput): Listener {
  const chains = tcpChains(input.chains, input.manager);
  return gatewayListener(input, chains, bySni(chains));
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
    listenerFilters: detects ? [tlsInspector()] : [],
    detects,
  });
}
