/**
 * Names and values in the metadata of endpoints, and their health.
 *
 * @module
 */
import { HealthStatus } from "#envoy/config/core/v3/health_check_pb.ts";
import type { Endpoint } from "../../model/mod.ts";

/** Health as Envoy names it. What is not said is healthy to Envoy and to gRPC's libraries, and takes no bytes. */
export const HEALTH: Readonly<Record<Endpoint["health"], HealthStatus>> = {
  healthy: HealthStatus.UNKNOWN,
  unhealthy: HealthStatus.UNHEALTHY,
  draining: HealthStatus.DRAINING,
};

/** Where clusters look up which transport an endpoint wants. */
export const TRANSPORT_METADATA = "envoy.transport_socket_match";

/** What they find there. */
export const TLS_MODE = { key: "tlsMode", mesh: "mesh" } as const;
