/**
 * Pods that start all the time while the network plugin is replaced: each is redirected.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
import { clientOf, kubectl, podsEventually } from "../../support/node.ts";
import { listAll, type ListItem, types } from "../../../lib/kit/orch/mod.ts";
import { restrictedContainer } from "./restricted.ts";

/** Pods that must have started after the upgrade. */
const AFTER = 2;

interface SeenPod extends ListItem {
  readonly status?: {
    readonly phase?: string;
    readonly initContainerStatuses?: readonly {
      readonly name: string;
      readonly restartCount: number;
    }[];
  };
}

/** A pod that runs for a while in the mesh. */
function pod(namespace: string, number: number): unknown {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `wave-${number}`, namespace, labels: { app: "wave" } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [restrictedContainer(["sleep", "1h"])],
    },
  };
}

/**
 * Makes pods one after the other while something is done, and for some pods longer. None starts without
 * redirection: the init container that checks it never fails. None is stuck.
 */
export async function upgradeUnderNewPods(
  cluster: NodeCluster,
  namespace: string,
  upgrade: () => Promise<void>,
): Promise<void> {
  let isOver = false;
  let started = 0;
  const wave = async (): Promise<void> => {
    for (let left = AFTER; left > 0; isOver && left--) {
      await kubectl(cluster, ["create", "-f", "-"], JSON.stringify(pod(namespace, started++)));
      await untilRun(cluster, namespace, started - 1);
    }
  };
  const waving = wave();
  waving.catch(() => {});
  await upgrade();
  isOver = true;
  await waving;
  using client = await clientOf(cluster);
  const pods = await listAll<SeenPod>(client, types.POD, {
    namespace,
    labelSelector: "app=wave",
  });
  assert.equal(pods.length, started);
  for (const { metadata, status } of pods) {
    const validation = status?.initContainerStatuses?.find((one) => one.name === "mesh-validation");
    assert.equal(validation?.restartCount, 0, metadata.name);
  }
  await kubectl(cluster, ["delete", "pods", "-n", namespace, "-l=app=wave", "--wait=false"]);
}

async function untilRun(cluster: NodeCluster, namespace: string, number: number): Promise<void> {
  const name = `wave-${number}`;
  await podsEventually(`${name} to run`, async () => {
    const path = "-o=jsonpath={.status.phase}";
    return await kubectl(cluster, ["get", "pod", "-n", namespace, name, path]) === "Running";
  });
}
