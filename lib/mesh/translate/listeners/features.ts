/**
 * Switches of listeners, and the context that has them.
 *
 * @module
 */
import type { ClusterFeatures } from "../clusters/mod.ts";
import type { Context as SharedContext } from "../context/mod.ts";
import type { EndpointFeatures } from "../endpoints/mod.ts";
import type { SecurityFeatures } from "../security/mod.ts";

/** Features of listeners that the environment enables. */
export interface ListenerFeatures {
  /** Mutual TLS announces detected HTTP on undeclared ports. */
  readonly announceDetectedHttp: boolean;
  /** Accept HTTP/1.0 in outbound listeners. */
  readonly http10: boolean;
  /** Add a retry policy to inbound routes. */
  readonly inboundRetry: boolean;
  /** Sidecars trust the remote address of outbound connections. */
  readonly sidecarUseRemoteAddress: boolean;
  /** Pass `100-continue` on instead of answering it. */
  readonly proxy100Continue: boolean;
  /** Addresses of the mesh networks are internal ones to HTTP listeners. */
  readonly internalNetworks: boolean;
  /** True: fields that the Gateway API has in its experimental channel act, too; default: false. */
  readonly experimentalGatewayApi?: boolean;
  /** If workloads have only IPv6 addresses, their outbound IPv4 traffic is captured too. */
  readonly ipv4Outbound: boolean;
}

/** The context with these features and those of what is called. */
export type Context = SharedContext<
  ListenerFeatures & ClusterFeatures & EndpointFeatures & SecurityFeatures
>;
