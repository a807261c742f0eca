import { messageOf } from "../../kit/base/mod.ts";
import type { Invocation } from "../../kit/cli/mod.ts";
import { listAll, type ListItem, types } from "../../kit/orch/mod.ts";
import { CLUSTER_LABEL, clusterSecret, openCredentials } from "../../mesh/sources/mod.ts";
import { type ClusterAccess, clusterAccess, openCluster } from "../cluster_access/mod.ts";
import type { RemoteCluster } from "./live_objects.ts";

/** Options of opening remote clusters. */
export interface RemoteOptions {
  /** The cluster with the secrets. */
  readonly cluster: ClusterAccess;
  readonly timeoutMs: number;
  /** Called for a cluster that is left out. */
  readonly warn: (message: string) => void;
}

/**
 * The remote clusters: those of `--remote-contexts`, else those that the secrets in the mesh's namespace
 * name. A secret that cannot be used is left out, with a warning.
 *
 * @throws {MeshError} for a context that cannot be used
 */
export async function remoteClusters(
  call: Invocation,
  options: RemoteOptions,
): Promise<RemoteCluster[]> {
  const contexts = call.flags.list("remote-contexts");
  const { timeoutMs } = options;
  if (contexts.length === 0) return await clustersOfSecrets(call, options);
  return await Promise.all(
    contexts.map(async (context) => ({
      name: context,
      cluster: await openCluster(call, { context, timeoutMs }),
      isNeeded: true,
    })),
  );
}

async function clustersOfSecrets(
  call: Invocation,
  { cluster: { client, meshNamespace }, timeoutMs, warn }: RemoteOptions,
): Promise<RemoteCluster[]> {
  let items: readonly ListItem[];
  try {
    const query = { namespace: meshNamespace, labelSelector: `${CLUSTER_LABEL}=true` };
    items = await listAll<ListItem>(client, types.SECRET, query);
  } catch (error) {
    call.signal.throwIfAborted();
    warn(
      `remote clusters are left out: the secrets of ${meshNamespace} cannot be listed ` +
        `(${messageOf(error)}); name them with --remote-contexts`,
    );
    return [];
  }
  return items.flatMap((item) => clusterSecret(item).credentials).flatMap((credentials) => {
    try {
      // A program that a secret names is never run, and no file that it names is read.
      const { access } = openCredentials(credentials, []);
      const cluster = clusterAccess(call, access, timeoutMs);
      return [{ name: credentials.cluster, cluster, isNeeded: false }];
    } catch (error) {
      warn(`the remote cluster ${credentials.cluster} is left out: ${messageOf(error)}`);
      return [];
    }
  });
}
