/**
 * Switches of clusters, and the context that has them.
 *
 * @module
 */
import type { BaseContext as SharedBaseContext, Context as SharedContext } from "../context/mod.ts";
import type { EndpointFeatures } from "../endpoints/mod.ts";
import type { SecurityFeatures } from "../security/mod.ts";

/** Features of clusters that the environment enables. */
export interface ClusterFeatures {
  /** The TLS that a Sidecar's ingress listeners name is ended. */
  readonly tlsOnIngress: boolean;
  /** Ports of services are served in addition to the ingress listeners of a Sidecar. */
  readonly ingressBesideServices: boolean;
  /** Jitter of periodic DNS resolution, ms. */
  readonly dnsJitterMs: number;
  /** TLS to a service without a configured server name uses the host of each request. */
  readonly autoSni: boolean;
  /** `targetPort` applies to services without resolution. */
  readonly targetPortOfNone: boolean;
  /** Clients of headless services use EDS instead of the original destination. */
  readonly headlessEds?: boolean;
  /** Localities share traffic by their weight in every cluster. */
  readonly weighLocalities: boolean;
  /**
   * For endpoints outside the mesh, a rule's TLS settings override the endpoints' own declaration.
   */
  readonly preferRuleTls: boolean;
}

/** The context with these features and those of what is called. */
export type Context = SharedContext<ClusterFeatures & EndpointFeatures & SecurityFeatures>;

/** The base context with these features. */
export type BaseContext = SharedBaseContext<ClusterFeatures & EndpointFeatures & SecurityFeatures>;
