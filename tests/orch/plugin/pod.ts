/**
 * Pods with a sidecar, and calls of the network plugin for them.
 *
 * @module
 */
import {
  createObject,
  type OrchClient,
  type OrchObject,
  types,
} from "../../../lib/kit/orch/mod.ts";
import type { PluginNode } from "./node.ts";

/** Makes a pod in the namespace `shop`; returns `NAMESPACE/NAME/UID`. */
export async function createPod(
  client: OrchClient,
  name: string,
  annotations: Readonly<Record<string, string>> = { "sidecar.mesh.io/status": "{}" },
): Promise<string> {
  const container = (name: string) => ({ name, image: "none" });
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop", annotations },
    spec: {
      automountServiceAccountToken: false,
      containers: [container("app"), container("mesh-proxy")],
    },
  } as OrchObject;
  const { metadata } = await createObject(client, types.POD, object);
  return `shop/${name}/${metadata.uid}`;
}

/** The variables of an ADD of the helper, as container runtimes set them. */
export function addCall(space: string, pod: string): Record<string, string> {
  const [namespace, name, uid] = pod.split("/");
  return {
    CNI_COMMAND: "ADD",
    CNI_CONTAINERID: "c1",
    CNI_IFNAME: "eth0",
    CNI_NETNS: `/var/run/netns/${space}`,
    CNI_PATH: "/opt/cni/bin",
    CNI_ARGS: `K8S_POD_NAMESPACE=${namespace};K8S_POD_NAME=${name};K8S_POD_UID=${uid}`,
  };
}

/** The configuration of the plugin's entry, after another plugin; fields replace its own. */
export function entryOf({ runDir }: PluginNode, fields: object = {}): string {
  return JSON.stringify({
    cniVersion: "1.0.0",
    name: "net",
    type: "mesh-cni",
    cni_agent_run_dir: runDir,
    prevResult: { cniVersion: "1.0.0", ips: [] },
    ...fields,
  });
}
