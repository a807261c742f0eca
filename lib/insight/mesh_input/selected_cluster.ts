import type { Invocation } from "../../kit/cli/mod.ts";
import { printable } from "../../kit/base/mod.ts";
import { openCluster } from "../cluster_access/mod.ts";
import { type LiveObjects, readLiveObjects } from "./live_objects.ts";
import { remoteClusters } from "./remote_clusters.ts";

/** The objects of the selected cluster, and the namespace that is shown. */
export async function readCluster(
  call: Invocation,
): Promise<{ readonly live: LiveObjects; readonly namespace: string }> {
  const { flags, io } = call;
  const timeoutMs = flags.number("timeout");
  using stack = new DisposableStack();
  const cluster = stack.use(await openCluster(call, { timeoutMs }));
  const warn = (message: string) => io.err(`Warning: ${printable(message)}\n`);
  const remotes = await remoteClusters(call, { cluster, timeoutMs, warn });
  for (const one of remotes) stack.use(one.cluster);
  const live = await readLiveObjects(cluster, {
    revision: flags.string("revision"),
    remotes,
    warn,
  });
  return { live, namespace: cluster.namespace };
}
