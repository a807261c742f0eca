/**
 * The demo of pods: a cluster with a node, the daemon with its webhook, injected workloads, and `kubectl`
 * as the only tool. It needs root.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import { installMesh } from "../cluster/mesh/install.ts";
import { type NodeCluster, startNodes } from "../cluster/node/cluster.ts";
import { workloadArchive } from "../cluster/node/workload.ts";
import { lackingNodes, nodePrograms } from "../cluster/node_programs.ts";
import { keptImages } from "../images/kept.ts";
import type { Narrator } from "./narrator.ts";
import { writeCommands } from "./pods_commands.ts";
import { podSteps } from "./pods_steps.ts";

/** Name of the cluster; further ones beside it have a number. */
const NAME = "demo";
/** Most demos beside each other. */
const MOST = 9;

/**
 * Builds programs and images if they are missing.
 *
 * @returns the reason if the images cannot be made here
 */
export async function preparePods(
  { say }: Narrator,
  signal: AbortSignal,
): Promise<MeshError | undefined> {
  say("Mesh as pods: a cluster with a node on this machine.");
  if (lackingNodes() !== undefined) {
    say("   Its programs are built first, once: about 10 minutes on two cores.");
  }
  const progress = (line: string): void => say(`   ${line}`);
  await nodePrograms(progress);
  signal.throwIfAborted();
  try {
    await keptImages(progress);
    return undefined;
  } catch (error) {
    if (error instanceof MeshError && error.code.startsWith("images-")) return error;
    throw error;
  } finally {
    signal.throwIfAborted();
  }
}

/** Runs the demo; on a terminal it stays up until the signal. */
export async function showPods(narrator: Narrator, signal: AbortSignal): Promise<void> {
  const progress = (line: string): void => {
    signal.throwIfAborted();
    narrator.say(`   ${line}`);
  };
  await using cluster = await start(progress, signal);
  signal.throwIfAborted();
  progress(`cluster ${cluster.name}: an API server at ${cluster.server}, and a node`);
  await installMesh(cluster, progress);
  progress("the daemon is ready, and the API server asks its webhook about new pods");
  await podSteps(narrator, cluster);
  await stay(narrator, cluster, signal);
}

/** Starts a cluster with the first name that no other demo has. */
async function start(
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<NodeCluster> {
  const folder = await Deno.makeTempDir({ prefix: "mesh-demo-" });
  try {
    const images = [await workloadArchive(folder)];
    progress("starting a cluster: an API server with controllers, a scheduler, and a node");
    for (let number = 1;; number++) {
      const name = number === 1 ? NAME : `${NAME}-${number}`;
      try {
        return await startNodes({ name, nodes: 1, isDetached: false, images, progress, signal });
      } catch (error) {
        const isTaken = error instanceof MeshError && error.code === "node-exists";
        if (!isTaken || number === MOST) throw error;
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** On a terminal, prints commands to go on with, and waits. */
async function stay(narrator: Narrator, cluster: NodeCluster, signal: AbortSignal): Promise<void> {
  if (!Deno.stdin.isTerminal()) {
    narrator.say("\nOn a terminal the mesh stays up, to go on with kubectl and meshctl.");
    return;
  }
  narrator.say(`\nThe mesh stays up. Go on in another terminal:\n`);
  for (const command of await writeCommands(cluster)) narrator.say(`   ${command}`);
  narrator.say("\nCtrl-C removes everything.");
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });
}
