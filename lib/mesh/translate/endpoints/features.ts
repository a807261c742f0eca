/**
 * Switches of endpoints, and the context that has them.
 *
 * @module
 */
import type { Context as SharedContext } from "../context/mod.ts";

/** Features of endpoints that the environment enables. */
export interface EndpointFeatures {
  /** Telemetry metadata of clusters and endpoints; the next field is only about endpoints. */
  readonly telemetryLabel: boolean;
  /** Telemetry metadata of endpoints; has an effect only with `telemetryLabel`. */
  readonly endpointTelemetryLabel: boolean;
  /** Endpoints that are not ready are sent too, marked unhealthy. */
  readonly sendUnhealthyEndpoints: boolean;
  /** Label of endpoints that are sent as draining; empty: none. */
  readonly drainingLabel: string;
  /** Metadata names the canonical service of services outside the mesh. */
  readonly canonicalOutside: boolean;
  /** True: gateways send through waypoints to services that ask for it; default: false. */
  readonly ingressWaypoints?: boolean;
}

/** The context with these features. */
export type Context = SharedContext<EndpointFeatures>;
