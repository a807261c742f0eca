/**
 * The mesh on nodes: the daemon installed as a user does, by manifests and at default settings, and
 * what tests ask of its pods.
 *
 * @module
 */
import { daemonRoles, defaultRoleOptions } from "../../cmd/pilot-discovery/roles.ts";
import {
  accessOf,
  ALL_CREDENTIAL_OPTIONS,
  createClient,
  loadKubeconfig,
} from "../../lib/kit/orch/mod.ts";
import type { NodeCluster } from "../../scripts/cluster/node/cluster.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import { eventually } from "../../scripts/harness/mod.ts";
import { keptImages } from "../../scripts/images/kept.ts";
import { rolesText } from "../../scripts/roles.ts";
import { apply, kubectl, nodeTest, type NodeTestOptions, podsReady } from "./node.ts";

/** The namespace of the daemon. */
export const SYSTEM = "mesh-system";

/** Reads a file of `tests/node/mesh`. */
export function manifest(name: string): Promise<string> {
  return Deno.readTextFile(new URL(`../node/mesh/${name}.yaml`, import.meta.url));
}

/** Installs the daemon with its webhook and waits until both work. */
export async function installMesh(cluster: NodeCluster): Promise<void> {
  const images = await keptImages();
  const imported = ["pilot-discovery", "pilot-agent"].map((program) =>
    cluster.importImages(images[program]!)
  );
  const config = await loadKubeconfig([cluster.kubeconfig]);
  using client = createClient(accessOf(config, { allowed: ALL_CREDENTIAL_OPTIONS }));
  await applyDefinitions(client);
  await Promise.all(imported);
  await kubectl(cluster, ["create", "namespace", SYSTEM]);
  const roles = rolesText(daemonRoles(defaultRoleOptions()));
  await kubectl(cluster, ["apply", "-f", "-"], `${roles}---\n${await manifest("daemon")}`);
  await podsReady(cluster, "app=meshd", { namespace: SYSTEM });
  await eventually("the webhook to have the daemon's authority", async () => {
    const path = "{.webhooks[0].clientConfig.caBundle}";
    const get = ["get", "mutatingwebhookconfiguration", "mesh-sidecar-injector"];
    return (await kubectl(cluster, [...get, `-o=jsonpath=${path}`])) !== "";
  });
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
