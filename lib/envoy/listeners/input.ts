/**
 * What the builders of listeners are given.
 *
 * @module
 */
import type { ManagerDefaults } from "../connection_manager/mod.ts";
import type { Lookup, Side, Signals } from "../core/mod.ts";

/** What the defaults say to connections that are forwarded as they are. */
export interface Forwarding {
  readonly signals?: Signals;
  readonly idleTimeoutMs?: number;
  readonly onDemand?: boolean;
  readonly lookup?: Lookup;
}

/** What the defaults say to connections of a side. */
export function forwarding(manager: ManagerDefaults, side: Side): Forwarding {
  const { signals, idleTimeoutMs, onDemand, lookup } = manager;
  return { signals: signals?.[side], idleTimeoutMs, onDemand, lookup };
}

/** Where a listener is. */
export interface Binding {
  /** IP address, or `unix:///path`. */
  readonly bind: string;
  /** 0 for Unix sockets. */
  readonly port: number;
  /** Further addresses of the same listener: the other family of a dual-stack proxy. */
  readonly extraBinds?: readonly string[];
  /** Give each of the proxy's threads as many connections as the others, at the price of a lock. */
  readonly exactBalance?: boolean;
}
