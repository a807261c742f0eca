/**
 * Switches of gateways, and the context that has them.
 *
 * @module
 */
import type { Context as SharedContext } from "../context/mod.ts";
import type { ClusterFeatures } from "../clusters/mod.ts";
import type { EndpointFeatures } from "../endpoints/mod.ts";
import type { ListenerFeatures } from "../listeners/mod.ts";
import type { SecurityFeatures } from "../security/mod.ts";

/** Features of gateways that the environment enables. */
export interface GatewayFeatures {
  /** A gateway takes only Gateways of its own namespace. */
  readonly scopeGatewayToNamespace: boolean;
  /** Gateways get only the clusters that their routes use. */
  readonly filterGatewayClusters: boolean;
}

/** The context with these features and those of what is called. */
export type Context = SharedContext<
  & GatewayFeatures
  & ClusterFeatures
  & EndpointFeatures
  & ListenerFeatures
  & SecurityFeatures
>;
