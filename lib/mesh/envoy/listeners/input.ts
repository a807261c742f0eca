/**
 * Input of the listener builders.
 *
 * @module
 */
import type { ManagerDefaults } from "../connection_manager/mod.ts";
import type { Lookup, Side, SideTelemetry } from "../core/mod.ts";

/** Defaults for connections that are forwarded without parsing. */
export interface Forwarding {
  readonly telemetry?: SideTelemetry;
  readonly idleTimeoutMs?: number;
  readonly onDemand?: boolean;
  readonly lookup?: Lookup;
}

/** Returns the defaults for forwarded connections of a side. */
export function forwarding(manager: ManagerDefaults, side: Side): Forwarding {
  const { telemetry, idleTimeoutMs, onDemand, lookup } = manager;
  return { telemetry: telemetry?.[side], idleTimeoutMs, onDemand, lookup };
}

/** Address of a listener. */
export interface Binding {
  /** IP address, or `unix:///path`. */
  readonly bind: string;
  /** 0 for Unix sockets. */
  readonly port: number;
  /** Additional addresses of the listener: the other address family of a dual-stack proxy. */
  readonly extraBinds?: readonly string[];
  /** Distributes connections evenly over the proxy's threads, at the cost of a lock. */
  readonly exactBalance?: boolean;
}
