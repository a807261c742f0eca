/**
 * The commands that a user goes on with after the demo of pods.
 *
 * @module
 */
import type { NodeCluster } from "../cluster/node/cluster.ts";
import { fromFileUrl, join } from "../paths.ts";
import { NAMESPACE } from "./pods_objects.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));

/**
 * Writes `kubectl` and `meshctl` into a folder of the cluster, and returns the commands: the first one
 * makes the shell find them.
 */
export async function writeCommands({ dir, kubeconfig, kubectl }: NodeCluster): Promise<string[]> {
  const bin = join(dir, "bin");
  await Deno.mkdir(bin);
  await Deno.symlink(kubectl, join(bin, "kubectl"));
  const script = `#!/bin/sh\nexec '${Deno.execPath()}' run -A -q '${MAIN}' meshctl "$@"\n`;
  await Deno.writeTextFile(join(bin, "meshctl"), script, { mode: 0o755 });
  return [
    `export PATH=${bin}:$PATH KUBECONFIG=${kubeconfig}`,
    `kubectl get pods -n ${NAMESPACE}`,
    `kubectl exec -n ${NAMESPACE} deploy/client -c app -- /workload get -n 10 http://shop/`,
    `kubectl delete authorizationpolicy no-guest -n ${NAMESPACE}`,
    "meshctl proxy-status",
    `meshctl proxy-config routes deploy/client -n ${NAMESPACE}`,
    `meshctl experimental describe service shop -n ${NAMESPACE}`,
    `meshctl analyze -n ${NAMESPACE}`,
  ];
}
