/**
 * The network plugin of a test's only node: its files, its DaemonSet, its installation.
 *
 * @module
 */
import assert from "node:assert/strict";
import { IMPORTED, meshctl } from "../../../scripts/cluster/mesh/install.ts";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
import { join } from "../../../scripts/paths.ts";
import { kubectl, podsEventually } from "../../support/node.ts";
import { SYSTEM } from "../../support/node_mesh.ts";

/** The only node. */
export const NODE = "node-1";
/** The DaemonSet in words of `kubectl`. */
export const DAEMON_SET: readonly string[] = ["-n", SYSTEM, "daemonset/mesh-cni-node"];
/** Two daemons, which also remove the taint of nodes whose plugin is ready. */
const DAEMONS = [
  "--set=values.pilot.autoscaleEnabled=false",
  "--set=values.pilot.replicaCount=2",
  "--set=values.pilot.env.PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS=true",
];

/** Installs the mesh with settings; returns the output. */
export async function install(
  cluster: NodeCluster,
  ...settings: readonly string[]
): Promise<string> {
  const set = settings.map((one) => `--set=${one}`);
  const args = ["install", "-y", "--set=profile=minimal", ...IMPORTED, ...DAEMONS, ...set];
  const { status, out, err } = await meshctl(cluster, args);
  assert.equal(status, 0, `${out}${err}`);
  return out + err;
}

/** The file with the network configuration of the node. */
export function configurationText(cluster: NodeCluster): Promise<string> {
  return Deno.readTextFile(join(cluster.dir, NODE, "cni/10-pods.conflist"));
}

/** The network configuration of the node. */
export async function configuration(cluster: NodeCluster): Promise<unknown> {
  return JSON.parse(await configurationText(cluster));
}

/** Types of the plugins of the configuration. */
export async function plugins(cluster: NodeCluster): Promise<string[]> {
  const { plugins } = await configuration(cluster) as { plugins: { type: string }[] };
  return plugins.map(({ type }) => type);
}

/** Files of the plugin on the node. */
export async function filesOfPlugin(cluster: NodeCluster): Promise<string[]> {
  const { stdout } = await cluster.onNode(NODE, [
    "sh",
    "-c",
    "ls -d /opt/cni/bin/mesh-cni /var/run/mesh-cni/mesh-cni-orchconfig 2>/dev/null; true",
  ]);
  return stdout.split("\n").filter((line) => line !== "");
}

/** The answer of the plugin's agent to the kubelet's probe. */
export async function readiness(cluster: NodeCluster): Promise<string> {
  const get = ["get", "pods", "-n", SYSTEM, "-l=k8s-app=mesh-cni-node"];
  const name = await kubectl(cluster, [...get, "-o=jsonpath={.items[0].metadata.name}"]);
  return await kubectl(cluster, [
    "get",
    `--raw=/api/v1/namespaces/${SYSTEM}/pods/${name}:8000/proxy/readyz`,
  ]);
}

/** Asserts the codes of messages about the plugin that `meshctl experimental precheck` has. */
export async function requirePrecheck(
  cluster: NodeCluster,
  codes: readonly string[],
): Promise<void> {
  const { out, err } = await meshctl(cluster, ["x", "precheck"]);
  const found = [...new Set(out.match(/MSH100[567]/g) ?? [])].sort();
  assert.deepEqual(found, codes, out + err);
}

/** Reads a field of a pod. */
export function ofPod(
  cluster: NodeCluster,
  namespace: string,
  app: string,
  path: string,
): Promise<string> {
  const get = ["get", "pods", "-n", namespace, `-l=app=${app}`];
  return kubectl(cluster, [...get, `-o=jsonpath=${path}`]);
}

/** Waits until the only pod of an application failed because its traffic is not redirected. */
export async function untilBroken(
  cluster: NodeCluster,
  namespace: string,
  app: string,
): Promise<void> {
  await podsEventually(`the broken pod ${app}`, async () => {
    const status = ".status.initContainerStatuses[?(@.name=='mesh-validation')]";
    const path = `{.items[0]${status}.lastState.terminated.exitCode}` +
      ` {.items[0]${status}.state.terminated.exitCode}`;
    const codes = (await ofPod(cluster, namespace, app, path)).split(" ");
    return codes.includes("126");
  });
}
