/**
 * Faults of ambient mode on a node: programs that are killed, labels that change all the time, pods in the
 * network of the node.
 *
 * @module
 */
import assert from "node:assert/strict";
import { mergePatch, types } from "../../../lib/kit/orch/mod.ts";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
import {
  apply,
  clientOf,
  deployment,
  kubectl,
  podsEventually,
  podsReady,
  workloadContainer,
} from "../../support/node.ts";
import { read } from "../../support/node_mesh.ts";
import { SHOP, untilAnnounced } from "./ambient.ts";

const MODE = "mesh.io/dataplane-mode";

/** Sets the label of the namespace and takes it away, in turns; the last one is `last`. */
export async function flipLabel(
  cluster: NodeCluster,
  times: number,
  last: "ambient" | null,
): Promise<void> {
  using client = await clientOf(cluster);
  const other = last === null ? "ambient" : null;
  for (let i = 0; i < times; i++) {
    const value = (times - i) % 2 === 1 ? last : other;
    await mergePatch(client, types.NAMESPACE, { name: SHOP }, {
      metadata: { labels: { [MODE]: value } },
    });
  }
}

/** Ends the processes of the only pod with a label without notice, and waits until its container runs again. */
export async function killProcesses(cluster: NodeCluster, label: string): Promise<void> {
  const what = `pods -l=${label}`;
  const pod = await read(cluster, "mesh-system", what, "{.items[0].metadata.name}");
  const count = "{.items[0].status.containerStatuses[0].restartCount}";
  const before = Number(await read(cluster, "mesh-system", what, count));
  const killed = [...processesOf(pod)].filter((pid) => {
    Deno.kill(pid, "SIGKILL");
    return true;
  });
  assert.ok(killed.length > 0, `no process of ${pod} was found`);
  await podsEventually(`the next container of ${pod}`, async () => {
    return Number(await read(cluster, "mesh-system", what, count)) > before;
  });
  await podsReady(cluster, label, { namespace: "mesh-system" });
}

/** Processes of this machine that have the name of a pod in their environment. */
function* processesOf(pod: string): Generator<number> {
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const environ = Deno.readTextFileSync(`/proc/${name}/environ`);
      if (environ.split("\0").includes(`POD_NAME=${pod}`)) yield Number(name);
    } catch {
      // It has ended.
    }
  }
}

/** A pod in the network of the node: it is not taken in, and runs. */
export async function runsOnHostNetwork(cluster: NodeCluster): Promise<void> {
  const container = workloadContainer(["sleep", "1h"]);
  const pod = { hostNetwork: true };
  await apply(cluster, deployment("host", container, { namespace: SHOP, pod }));
  await podsReady(cluster, "app=host", { namespace: SHOP });
  const annotation = "{.items[0].metadata.annotations.ambient\\.mesh\\.io/redirection}";
  assert.equal(await read(cluster, SHOP, "pods -l=app=host", annotation), "");
  await kubectl(cluster, ["delete", "deployment", "-n", SHOP, "host"]);
  await podsEventually("the end of the pod", async () => {
    return await kubectl(cluster, ["get", "pods", "-n", SHOP, "-l=app=host", "-o=name"]) === "";
  });
  await untilAnnounced(cluster, "enabled");
}
