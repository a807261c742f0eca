/**
 * The context of waypoints.
 *
 * @module
 */
import type { Context as SharedContext } from "../context/mod.ts";
import type { ClusterFeatures } from "../clusters/mod.ts";
import type { EndpointFeatures } from "../endpoints/mod.ts";
import type { GatewayFeatures } from "../gateways/mod.ts";
import type { ListenerFeatures } from "../listeners/mod.ts";
import type { SecurityFeatures } from "../security/mod.ts";
import type { TelemetryFeatures } from "../telemetry/mod.ts";

/** The context with the features that waypoints read. */
export type Context = SharedContext<
  & ClusterFeatures
  & EndpointFeatures
  & GatewayFeatures
  & ListenerFeatures
  & SecurityFeatures
  & TelemetryFeatures
>;
