/**
 * Keys and values in the metadata of endpoints, and their health.
 *
 * @module
 */
import { HealthStatus } from "#envoy/config/core/v3/health_check_pb.ts";
import type { Endpoint } from "../../model/mod.ts";
import { TUNNEL_KEYS } from "../core/mod.ts";
import type { TunnelTo } from "./planned.ts";

/**
 * Envoy's health states. Envoy and gRPC libraries treat unset as healthy, and it takes no bytes.
 */
export const HEALTH: Readonly<Record<Endpoint["health"], HealthStatus>> = {
  healthy: HealthStatus.UNKNOWN,
  unhealthy: HealthStatus.UNHEALTHY,
  draining: HealthStatus.DRAINING,
};

/** Metadata by which clusters select the transport socket of an endpoint. */
export const TRANSPORT_METADATA = "envoy.transport_socket_match";

/** Key and value that select mutual TLS. */
export const TLS_MODE = { key: "tlsMode", mesh: "mesh" } as const;

/** The metadata of an endpoint about its tunnel. */
export function tunnelFields(
  { to, waypoint, identity, across }: TunnelTo,
): [key: string, value: string][] {
  const all: [string, string][] = [
    [TUNNEL_KEYS.to, to],
    [TUNNEL_KEYS.waypoint, waypoint],
    [TUNNEL_KEYS.identity, identity],
    [TUNNEL_KEYS.service, across?.service ?? ""],
    [TUNNEL_KEYS.gateway, across?.gateway ?? ""],
  ];
  return all.filter(([, value]) => value !== "");
}
