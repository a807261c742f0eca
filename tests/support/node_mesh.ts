/**
 * The mesh on nodes: the daemon installed as a user does, by manifests and at default settings, and
 * what tests ask of its pods.
 *
 * @module
 */
import { installMesh } from "../../scripts/cluster/mesh/install.ts";
import type { NodeCluster } from "../../scripts/cluster/node/cluster.ts";
import { eventually } from "../../scripts/harness/mod.ts";
import { apply, nodeTest, type NodeTestOptions } from "./node.ts";

export { installMesh, SYSTEM } from "../../scripts/cluster/mesh/install.ts";

/** Reads a file of `tests/node/mesh`. */
export function manifest(name: string): Promise<string> {
  return Deno.readTextFile(new URL(`../node/mesh/${name}.yaml`, import.meta.url));
}

/** A test with a cluster of its own in which the mesh is installed. */
export function meshTest(
  name: string,
  fn: (cluster: NodeCluster, t: Deno.TestContext) => Promise<void>,
  options: NodeTestOptions = {},
): void {
  nodeTest(name, async (cluster, t) => {
    await installMesh(cluster);
    await fn(cluster, t);
  }, options);
}

/** Makes a namespace whose pods get proxies. */
export async function injectedNamespace(cluster: NodeCluster, name: string): Promise<void> {
  const metadata = { name, labels: { "mesh-injection": "enabled" } };
  await apply(cluster, { apiVersion: "v1", kind: "Namespace", metadata });
  await eventually(`the default account of ${name}`, async () => {
    return (await cluster.run(["get", "-n", name, "serviceaccount", "default"])).success;
  });
}

/** A container in which a program is run. */
export interface PodPlace {
  /** Name of the pod, or `deploy/NAME`. */
  readonly pod: string;
  readonly namespace: string;
  /** Default `app`. */
  readonly container?: string;
}

/** Runs the workload's program in a container; returns its output, else its error. */
export async function inPod(
  cluster: NodeCluster,
  { pod, namespace, container = "app" }: PodPlace,
  ...command: readonly string[]
): Promise<string> {
  const exec = ["exec", "-n", namespace, pod, "-c", container, "--", "/workload", ...command];
  const { stdout, stderr } = await cluster.run(exec);
  return stdout.trim() || stderr.trim();
}
