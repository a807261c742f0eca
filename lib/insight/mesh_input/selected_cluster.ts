import type { Invocation } from "../../kit/cli/mod.ts";
import { printable } from "../../kit/base/mod.ts";
import { type ClusterAccess, openCluster } from "../cluster_access/mod.ts";
import { type LiveObjects, readLiveObjects } from "./live_objects.ts";

/** The objects of the selected cluster, and the namespace that is shown. */
export async function readCluster(
  call: Invocation,
): Promise<{ readonly live: LiveObjects; readonly namespace: string }> {
  const { flags, io } = call;
  const timeoutMs = flags.number("timeout");
  using stack = new DisposableStack();
  const cluster = stack.use(await openCluster(call, { timeoutMs }));
  const remotes: ClusterAccess[] = [];
  for (const context of flags.list("remote-contexts")) {
    remotes.push(stack.use(await openCluster(call, { context, timeoutMs })));
  }
  const live = await readLiveObjects(cluster, {
    revision: flags.string("revision"),
    remotes,
    warn: (message) => io.err(`Warning: ${printable(message)}\n`),
  });
  return { live, namespace: cluster.namespace };
}
