/**
 * Assembles listeners.
 *
 * @module
 */
import { TrafficDirection } from "#envoy/config/core/v3/base_pb.ts";
import {
  type Filter,
  type FilterChain,
  FilterSchema,
  type ListenerFilter,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { ConnectionLimitSchema } from "#envoy/extensions/filters/network/connection_limit/v3/connection_limit_pb.ts";
import { create, durationOf, packAny } from "../../../kit/proto/mod.ts";
import { connectionSettings, type ManagerDefaults } from "../connection_manager/mod.ts";
import { pipeOrSocket } from "../core/mod.ts";
import type { Binding } from "./input.ts";

/** `ADDRESS_PORT`, for example `0.0.0.0_80`. */
export function listenerName(bind: string, port: number): string {
  return `${bind}_${port}`;
}

export interface ListenerParts extends Binding {
  /** Default: from address and port. */
  readonly name?: string;
  readonly direction: "inbound" | "outbound";
  /**
   * True: the listener opens its port. False: it serves connections that the capturing listener
   * passes on by original destination.
   */
  readonly bindToPort: boolean;
  readonly chains: readonly FilterChain[];
  /** Chain for connections that no other chain matches. */
  readonly defaultChain?: FilterChain;
  readonly listenerFilters?: readonly ListenerFilter[];
  /** True: a listener filter waits for the client's first bytes. */
  readonly detects?: boolean;
  /**
   * Time for the client's first bytes, after which the connection is closed, ms. Default: the mesh's
   * detection timeout, after which it continues.
   */
  readonly firstBytesMs?: number;
  /** Passes connections to the listener of their original destination. */
  readonly useOriginalDst?: boolean;
  /** True: it serves connections from inside the proxy, and has no address. */
  readonly internal?: boolean;
  /** Allows sockets with addresses that are not the host's (TPROXY). */
  readonly transparent?: boolean;
  readonly manager: Pick<
    ManagerDefaults,
    "telemetry" | "listenerLog" | "detectionTimeoutMs" | "settings"
  >;
}

/** Builds a listener for connections from inside the proxy, which has no address. */
export function assembleInternal(
  parts: Omit<ListenerParts, keyof Binding | "bindToPort" | "internal"> & { readonly name: string },
): Listener {
  return assemble({ ...parts, bind: "", port: 0, bindToPort: true, internal: true });
}

/** Builds the listener. */
export function assemble(parts: ListenerParts): Listener {
  const { bind, port, manager } = parts;
  const unmatched = manager.telemetry?.[parts.direction === "inbound" ? "server" : "client"]
    .unmatched;
  const connections = connectionSettings(manager.settings?.connections);
  const name = parts.name ?? listenerName(bind, port);
  return create(ListenerSchema, {
    name,
    ...(parts.internal === true
      ? { listenerSpecifier: { case: "internalListener", value: {} } }
      : { address: pipeOrSocket(bind, port) }),
    additionalAddresses: (parts.extraBinds ?? []).map((extra) => ({
      address: pipeOrSocket(extra, port),
    })),
    trafficDirection: parts.direction === "inbound"
      ? TrafficDirection.INBOUND
      : TrafficDirection.OUTBOUND,
    bindToPort: parts.bindToPort ? undefined : false,
    filterChains: [...bounded(parts.chains, name, connections?.listenerConnectionLimit)],
    defaultFilterChain: parts.defaultChain &&
      bounded([parts.defaultChain], name, connections?.listenerConnectionLimit)[0],
    listenerFilters: [...(parts.listenerFilters ?? [])],
    connectionBalanceConfig: parts.exactBalance
      ? { balanceType: { case: "exactBalance", value: {} } }
      : undefined,
    perConnectionBufferLimitBytes: connections?.listenerPerConnectionBufferLimitBytes,
    useOriginalDst: parts.useOriginalDst || undefined,
    transparent: parts.transparent || undefined,
    accessLog: [...manager.listenerLog ? unmatched ?? [] : []],
    ...(parts.detects ? detection(parts) : {}),
  });
}

/** Returns the time for the first bytes, and the consequence of its end. */
function detection(
  { firstBytesMs, manager }: ListenerParts,
): Partial<Pick<Listener, "listenerFiltersTimeout" | "continueOnListenerFiltersTimeout">> {
  if (firstBytesMs !== undefined) return { listenerFiltersTimeout: durationOf(firstBytesMs) };
  return {
    listenerFiltersTimeout: durationOf(manager.detectionTimeoutMs),
    continueOnListenerFiltersTimeout: true,
  };
}

/** Name of the network filter. */
const CONNECTION_LIMIT = "envoy.filters.network.connection_limit";

/**
 * Limits the number of concurrent connections of each chain; others are closed at once. Envoy
 * configures listener limits only in the bootstrap, where the names of these listeners are not
 * known; this filter counts per chain.
 *
 * @param most `listenerConnectionLimit`; `undefined` or not positive: no limit
 */
export function bounded(
  chains: readonly FilterChain[],
  listener: string,
  most: number | undefined,
): readonly FilterChain[] {
  if (most === undefined || most <= 0) return chains;
  const limit = limitFilter(listener, most);
  return chains.map((chain) => ({ ...chain, filters: [limit, ...chain.filters] }));
}

function limitFilter(listener: string, most: number): Filter {
  return create(FilterSchema, {
    name: CONNECTION_LIMIT,
    configType: {
      case: "typedConfig",
      value: packAny(ConnectionLimitSchema, {
        statPrefix: listener,
        maxConnections: BigInt(most),
      }),
    },
  });
}
