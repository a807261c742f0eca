/**
 * Keys and values in the metadata of endpoints, and their health.
 *
 * @module
 */
import { HealthStatus } from "#envoy/config/core/v3/health_check_pb.ts";
import type { Endpoint } from "../../model/mod.ts";

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
