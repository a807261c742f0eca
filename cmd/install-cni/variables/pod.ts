/**
 * Environment variables without a flag: what the pod says of itself, and paths of the image.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../../lib/kit/env/mod.ts";

const readers = ["install-cni"] as const;

/** Name of the pod, which names the installation in the journal. */
export const POD_NAME: EnvVar<string | undefined> = declareEnv({
  name: "POD_NAME",
  type: "string",
  doc: "Name of this pod; the host name when it is not set.",
  readers,
});

/** Namespace of the pod, in which its DaemonSet is. */
export const POD_NAMESPACE: EnvVar<string | undefined> = declareEnv({
  name: "POD_NAMESPACE",
  type: "string",
  doc:
    "Namespace of this pod; by default `default` for the agent, and by its flags for the daemon.",
  readers,
});

/** Namespace of the pod without POD_NAMESPACE. */
export const SYSTEM_NAMESPACE: EnvVar<string> = declareEnv({
  name: "SYSTEM_NAMESPACE",
  type: "string",
  default: "mesh-system",
  doc:
    "Namespace of the control plane where neither a flag nor `POD_NAMESPACE` names it: `--namespace`, `--cniNamespace`, `--clusterRegistriesNamespace`.",
  readers,
});

/** Node of the pod. */
export const NODE_NAME: EnvVar<string | undefined> = declareEnv({
  name: "NODE_NAME",
  type: "string",
  doc: "Name of the node, for messages and the page of the installation's state.",
  readers,
});

/** Host of the API server. */
export const KUBERNETES_SERVICE_HOST: EnvVar<string | undefined> = declareEnv({
  name: "KUBERNETES_SERVICE_HOST",
  type: "string",
  doc: "Host of the API server, which the kubelet sets, for the plugin's client configuration.",
  readers,
});

/** Port of the API server. */
export const KUBERNETES_SERVICE_PORT: EnvVar<string | undefined> = declareEnv({
  name: "KUBERNETES_SERVICE_PORT",
  type: "string",
  doc: "Port of the API server, which the kubelet sets, for the plugin's client configuration.",
  readers,
});

/** Scheme of the API server. */
export const KUBERNETES_SERVICE_PROTOCOL: EnvVar<string> = declareEnv({
  name: "KUBERNETES_SERVICE_PROTOCOL",
  type: "string",
  default: "https",
  choices: ["https", "http"],
  doc: "Scheme of the API server's address in the plugin's client configuration.",
  readers,
});

/** Wins over KUBERNETES_SERVICE_HOST. */
export const ORCH_SERVICE_HOST: EnvVar<string | undefined> = declareEnv({
  name: "ORCH_SERVICE_HOST",
  type: "string",
  doc:
    "Host, or host and port, of the orchestrator's API inside the cluster; `kubernetes.default.svc` when it is not set.",
  readers,
});

/** Wins over KUBERNETES_SERVICE_PORT. */
export const ORCH_SERVICE_PORT: EnvVar<string | undefined> = declareEnv({
  name: "ORCH_SERVICE_PORT",
  type: "string",
  doc: "Port of the orchestrator's API; wins over KUBERNETES_SERVICE_PORT.",
  readers,
});

/** Directory of the service account. */
export const SERVICE_ACCOUNT_DIR: EnvVar<string> = declareEnv({
  name: "SERVICE_ACCOUNT_DIR",
  type: "string",
  default: "/var/run/secrets/kubernetes.io/serviceaccount",
  doc: "Directory with the token and the authority of the pod's service account.",
  readers,
});

/** Directory of the plugin in the image. */
export const CNI_BIN_SOURCE_DIR: EnvVar<string> = declareEnv({
  name: "CNI_BIN_SOURCE_DIR",
  type: "string",
  default: "/opt/cni/bin",
  doc: "Directory of the plugin's binary in the image.",
  readers,
});

/** Directory of the node's plugins. */
export const MOUNTED_CNI_BIN_DIR: EnvVar<string> = declareEnv({
  name: "MOUNTED_CNI_BIN_DIR",
  type: "string",
  default: "/host/opt/cni/bin",
  doc: "Directory of the node's network plugins, where it is mounted.",
  readers,
});

/** Folder of the node's own paths. */
export const HOST_ROOT: EnvVar<string> = declareEnv({
  name: "HOST_ROOT",
  type: "string",
  default: "/host",
  doc:
    "Folder below which `/proc` and `/var/run/netns` of the node are mounted; empty when the program runs on the node itself.",
  readers,
});

/** Port of the health listener. */
export const HEALTH_PORT: EnvVar<number> = declareEnv({
  name: "HEALTH_PORT",
  type: "int",
  default: 8000,
  range: { least: 1, most: 65535 },
  doc: "Port that serves /healthz, /readyz and the page of the installation's state.",
  readers,
});
