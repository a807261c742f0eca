/**
 * The review of tokens by the clusters of the daemon.
 *
 * @module
 */
import type { TokenReviewOptions } from "../../lib/cluster/authn/mod.ts";
import { type OrchClient, reviewToken } from "../../lib/kit/orch/mod.ts";

/** Default of `CLUSTER_ID`. */
const DEFAULT_CLUSTER = "Orchestrator";
/** Longest time for a review, ms; a caller waits for it. */
const REVIEW_MS = 10_000;

/** The client of a cluster by its id, `undefined` for the daemon's own; `undefined`: unknown. */
export type ClusterClients = (cluster: string | undefined) => OrchClient | undefined;

/** Reviews tokens by the API server of the cluster that the caller names. */
export function tokenReviews(clientOf: ClusterClients): TokenReviewOptions["reviewOf"] {
  return (cluster) => {
    const client = clientOf(cluster);
    if (client === undefined) return undefined;
    return (token, audiences) =>
      reviewToken(client, token, audiences, AbortSignal.timeout(REVIEW_MS));
  };
}

/** Clusters of a daemon. */
export interface ClusterNames {
  readonly clusterId: string;
  /** Cluster id by alias. */
  readonly clusterAliases: ReadonlyMap<string, string>;
}

/**
 * The clients by the ids that callers give, and by aliases.
 *
 * @param remote the client of a remote cluster
 */
export function clusterClients(
  { clusterId, clusterAliases }: ClusterNames,
  own: OrchClient,
  remote: (cluster: string) => OrchClient | undefined = () => undefined,
): ClusterClients {
  return (cluster) => {
    if (cluster === undefined || cluster === "") return own;
    const id = clusterAliases.get(cluster) ?? cluster;
    if (id === clusterId) return own;
    // Agents without a cluster id give the default one.
    return remote(id) ?? (id === DEFAULT_CLUSTER ? own : undefined);
  };
}
