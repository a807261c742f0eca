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
import { SERVERS_NODE, SHOP, untilAnnounced } from "./ambient.ts";

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

/** Ends the processes of a node's pod with a label without notice, and waits until its container runs again. */
export async function killProcesses(
  cluster: NodeCluster,
  node: string,
  label: string,
): Promise<void> {
  const what = `pods -l=${label} --field-selector=spec.nodeName=${node}`;
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
  await podsReady(cluster, label, { namespace: "mesh-system", count: cluster.nodes.length });
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

/** Pods that are deleted by force while they enter ambient mode: agents and node proxies go on, and none of the pods is left. */
export async function deletedWhileEntering(cluster: NodeCluster): Promise<void> {
  const restarts = await restartsOf(cluster);
  await apply(
    cluster,
    deployment("brief", workloadContainer(["sleep", "1h"]), { namespace: SHOP, replicas: 2 }),
  );
  const brief = ["-n", SHOP, "-l=app=brief"];
  const force = ["--grace-period=0", "--force", "--wait=false"];
  const seen = new Set<string>();
  await podsEventually("pods to delete", async () => {
    const names = await kubectl(cluster, ["get", "pods", ...brief, "-o=name"]);
    const found = names.split("\n").filter((name) => name !== "" && !seen.has(name));
    for (const name of found) seen.add(name);
    if (found.length > 0) await cluster.run(["delete", "-n", SHOP, ...found, ...force]);
    return seen.size >= FORCED;
  });
  await kubectl(cluster, ["delete", "deployment", "-n", SHOP, "brief"]);
  await kubectl(cluster, ["delete", "pods", ...brief, ...force]);
  await podsEventually("the end of the pods", async () => {
    return await kubectl(cluster, ["get", "pods", ...brief, "-o=name"]) === "";
  });
  await untilAnnounced(cluster, "enabled");
  assert.equal(await restartsOf(cluster), restarts);
}

/** Number of pods that are deleted by force. */
const FORCED = 8;

/** Numbers of the restarts of agents and node proxies. */
async function restartsOf(cluster: NodeCluster): Promise<string> {
  const path = "{.items[*].status.containerStatuses[0].restartCount}";
  const labels = ["k8s-app=mesh-cni-node", "app=ztunnel"];
  const counts = labels.map((label) => read(cluster, "mesh-system", `pods -l=${label}`, path));
  return (await Promise.all(counts)).join(" ");
}

/**
 * Takes rules of redirection out of the pod of a server by hand.
 *
 * @returns waits until they are there again
 */
export async function flushRules(
  cluster: NodeCluster,
  app: string,
): Promise<{ repaired(): Promise<void> }> {
  const address = await read(cluster, SHOP, `pods -l=app=${app}`, "{.items[0].status.podIP}");
  const inside = async (command: string): Promise<string> => {
    const script = "for one in /run/netns/cni-*; do " +
      `if nsenter --net=$one ip -o addr show | grep -q "inet ${address}/"; ` +
      `then nsenter --net=$one ${command}; fi; done`;
    return (await cluster.onNode(SERVERS_NODE, ["sh", "-c", script])).stdout;
  };
  const rules = async (): Promise<string[]> =>
    (await inside("iptables-save -t nat")).split("\n").filter((line) => line.startsWith("-A "));
  const before = await rules();
  await inside("iptables -t nat -F MESH_PRERT");
  assert.notDeepEqual(await rules(), before, "no rule was removed");
  return {
    repaired: async () => {
      await podsEventually("the rules of before", async () => {
        return JSON.stringify(await rules()) === JSON.stringify(before);
      });
    },
  };
}
