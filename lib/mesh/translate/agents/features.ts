/**
 * Switches of agents, and the context that has them.
 *
 * @module
 */
import type { Context as SharedContext } from "../context/mod.ts";

/** Features of agents that the environment enables. */
export interface AgentFeatures {
  /** Names of headless services have the addresses of endpoints in all clusters. */
  readonly headlessAcrossClusters: boolean;
  /** The authorities of the mesh configuration are served to agents. */
  readonly multiRoot: boolean;
}

/** The context with these features. */
export type Context = SharedContext<AgentFeatures>;
