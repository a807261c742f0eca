/**
 * The mesh in a cluster with nodes: its images, the definitions of custom resources, and the daemon
 * with its webhook at default settings, by the manifest beside this file.
 *
 * @module
 */
import { daemonRoles, defaultRoleOptions } from "../../../lib/cluster/roles/mod.ts";
import {
  accessOf,
  ALL_CREDENTIAL_OPTIONS,
  createClient,
  loadKubeconfig,
} from "../../../lib/kit/orch/mod.ts";
import { applyDefinitions } from "../../crds.ts";
import { eventually } from "../../harness/ports.ts";
import { keptImages } from "../../images/kept.ts";
import { rolesText } from "../../roles.ts";
import { kubectl, rolledOut } from "../node/kubectl.ts";
import type { NodeCluster } from "../node/running.ts";

/** The namespace of the daemon. */
export const SYSTEM = "mesh-system";

/** The objects of the daemon beside its roles. */
export function daemonManifest(): Promise<string> {
  return Deno.readTextFile(new URL("daemon.yaml", import.meta.url));
}

/**
 * Installs the daemon with its webhook and waits until both work.
 *
 * @param progress is told each step
 */
export async function installMesh(
  cluster: NodeCluster,
  progress: (line: string) => void = () => {},
): Promise<void> {
  const images = await keptImages(progress);
  progress("importing the images of the daemon and the proxy");
  const imported = ["pilot-discovery", "pilot-agent"].map((program) =>
    cluster.importImages(images[program]!)
  );
  const config = await loadKubeconfig([cluster.kubeconfig]);
  using client = createClient(accessOf(config, { allowed: ALL_CREDENTIAL_OPTIONS }));
  await applyDefinitions(client);
  await Promise.all(imported);
  await kubectl(cluster, ["create", "namespace", SYSTEM]);
  const roles = rolesText(daemonRoles(defaultRoleOptions()));
  progress("starting the daemon");
  await kubectl(cluster, ["apply", "-f", "-"], `${roles}---\n${await daemonManifest()}`);
  await rolledOut(cluster, SYSTEM, ["meshd"]);
  await eventually("the webhook to have the daemon's authority", async () => {
    const path = "{.webhooks[0].clientConfig.caBundle}";
    const get = ["get", "mutatingwebhookconfiguration", "mesh-sidecar-injector"];
    return (await kubectl(cluster, [...get, `-o=jsonpath=${path}`])) !== "";
  });
}
