/**
 * Switches of policies, and the context that has them.
 *
 * @module
 */
import type { BaseContext as SharedBaseContext, Context as SharedContext } from "../context/mod.ts";

/** Features of policies that the environment enables. */
export interface SecurityFeatures {
  /** Callers must be of the mesh's trust domain, or of one of its aliases. */
  readonly checkTrustDomain: boolean;
  /**
   * Fetches the keys of tokens: the daemon, the proxies, or the proxies for keys at a service of
   * the mesh and the daemon for others.
   */
  readonly remoteKeys: "daemon" | "proxy" | "hybrid";
}

/** The context with these features. */
export type Context = SharedContext<SecurityFeatures>;

/** The base context with these features. */
export type BaseContext = SharedBaseContext<SecurityFeatures>;
