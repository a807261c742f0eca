/**
 * Putting a listener together.
 *
 * @module
 */
import { TrafficDirection } from "#envoy/config/core/v3/base_pb.ts";
import type {
  FilterChain,
  ListenerFilter,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { create, durationOf } from "../../proto/mod.ts";
import { connectionSettings, type ManagerDefaults } from "../connection_manager/mod.ts";
import { pipeOrSocket } from "../core/mod.ts";
import { bounded } from "./connection_limit.ts";
import type { Binding } from "./input.ts";

/** `ADDRESS_PORT`, for example `0.0.0.0_80`. */
export function listenerName(bind: string, port: number): string {
  return `${bind}_${port}`;
}

/** The parts of a listener. */
export interface ListenerParts extends Binding {
  /** Default: from address and port. */
  readonly name?: string;
  readonly direction: "inbound" | "outbound";
  /**
   * Whether the listener opens its port. If not, it serves what the capturing
   * listener hands over by original destination.
   */
  readonly bindToPort: boolean;
  readonly chains: readonly FilterChain[];
  /** Takes what no other chain does. */
  readonly defaultChain?: FilterChain;
  readonly listenerFilters?: readonly ListenerFilter[];
  /** Whether some of those wait for the client's first bytes. */
  readonly detects?: boolean;
  /** Hand connections to the listener of their original destination. */
  readonly useOriginalDst?: boolean;
  /** Sockets may have addresses that are not the host's (TPROXY). */
  readonly transparent?: boolean;
  readonly manager: Pick<
    ManagerDefaults,
    "signals" | "listenerLog" | "detectionTimeoutMs" | "settings"
  >;
}

/** Builds the listener. */
export function assemble(parts: ListenerParts): Listener {
  const { bind, port, manager } = parts;
  const unmatched = manager.signals?.[parts.direction === "inbound" ? "server" : "client"]
    .unmatched;
  const connections = connectionSettings(manager.settings?.connections);
  const name = parts.name ?? listenerName(bind, port);
  return create(ListenerSchema, {
    name,
    address: pipeOrSocket(bind, port),
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
    ...(parts.detects ? detection(manager.detectionTimeoutMs) : {}),
  });
}

/** Detection that takes too long is given up and the connection served as it is. */
function detection(
  timeoutMs: number,
): Partial<Pick<Listener, "listenerFiltersTimeout" | "continueOnListenerFiltersTimeout">> {
  return {
    listenerFiltersTimeout: durationOf(timeoutMs),
    continueOnListenerFiltersTimeout: true,
  };
}
