import { messageOf } from "../../kit/base/mod.ts";
import type { ClusterAccess } from "../cluster_access/mod.ts";
import { askDaemon } from "./ask.ts";
import { daemonPods, pagesEndpoint } from "./daemons.ts";

/** Longest wait for the answer of a daemon, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * The names of the proxies that are connected to the daemons of a revision.
 *
 * @param warn told why a daemon could not be asked
 */
export async function connectedProxies(
  cluster: ClusterAccess,
  revision: string,
  warn: (text: string) => void,
): Promise<string[]> {
  await using stack = new AsyncDisposableStack();
  const pods = await daemonPods(cluster, { revision }).catch(() => []);
  const names = await Promise.all(pods.map(async (pod) => {
    try {
      const endpoint = await pagesEndpoint(cluster, pod, stack);
      const { signal } = cluster;
      const question = { query: "syncz", timeoutMs: TIMEOUT_MS };
      const { text } = await askDaemon(endpoint, { ...question, ...signal && { signal } });
      return (JSON.parse(text) as { readonly proxy: string }[]).map(({ proxy }) => proxy);
    } catch (error) {
      cluster.signal?.throwIfAborted();
      warn(
        `daemon ${pod.metadata.name} does not say which proxies are connected: ${messageOf(error)}`,
      );
      return [];
    }
  }));
  return names.flat();
}
