/**
 * Switches of the classes of proxies, and the context that has them.
 *
 * @module
 */
import type { BaseContext as SharedBaseContext, Context as SharedContext } from "../context/mod.ts";

/** Features of the classes of proxies that the environment enables. */
export interface ProxyFeatures {
  /** Gateways serve HTTP/3 if their service has a UDP port with the number of the TLS port. */
  readonly quicListeners: boolean;
  /** Proxies with addresses of both families serve both; default: only IPv4. */
  readonly dualStack?: boolean;
  /** Proxies that can are sent virtual hosts as separate resources. */
  readonly vhds: boolean;
  /** Proxies that can have configuration on demand, unless namespace or workload say otherwise; default: false. */
  readonly onDemand?: boolean;
  /** Names that proxies of a workload class may ask for; default: {@link MOST_NAMES}. */
  readonly onDemandNames?: number;
}

/** Names that proxies of a workload class may ask for on demand. */
export const MOST_NAMES = 2000;

/** The context with these features. */
export type Context = SharedContext<ProxyFeatures>;

/** The base context with these features. */
export type BaseContext = SharedBaseContext<ProxyFeatures>;
