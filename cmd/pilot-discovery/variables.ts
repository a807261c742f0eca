/**
 * Environment variables of the program itself: its identity, and defaults of flags.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../lib/kit/env/mod.ts";

const readers = ["pilot-discovery"] as const;

/** Name of the pod, which proxies are sent as the name of their control plane. */
export const POD_NAME: EnvVar<string | undefined> = declareEnv({
  name: "POD_NAME",
  type: "string",
  doc: "Name of this pod; the host name when it is not set.",
  readers,
});

/** Address of the orchestrator's API inside the cluster. */
export const ORCH_SERVICE_HOST: EnvVar<string | undefined> = declareEnv({
  name: "ORCH_SERVICE_HOST",
  type: "string",
  doc:
    "Host, or host and port, of the orchestrator's API inside the cluster; `kubernetes.default.svc` when it is not set.",
  readers,
});

/** Namespace of the pod; default of two flags. */
export const POD_NAMESPACE: EnvVar<string | undefined> = declareEnv({
  name: "POD_NAMESPACE",
  type: "string",
  doc:
    "Namespace of this pod; by default `default` for the agent, and by its flags for the daemon.",
  readers,
});

/** Default of flags with namespaces of the control plane, after `POD_NAMESPACE`. */
export const SYSTEM_NAMESPACE: EnvVar<string> = declareEnv({
  name: "SYSTEM_NAMESPACE",
  type: "string",
  default: "mesh-system",
  doc:
    "Namespace of the control plane where neither a flag nor `POD_NAMESPACE` names it: `--namespace`, `--cniNamespace`, `--clusterRegistriesNamespace`.",
  readers,
});

/** Platform of the cluster. */
export const PLATFORM: EnvVar<string> = declareEnv({
  name: "PLATFORM",
  type: "string",
  default: "Default",
  doc:
    "Platform of the mesh. `openshift`: injected proxies run as a user of their namespace's range; other values have no effect.",
  readers,
});

/** Default of the flag `--clusterID`. */
export const CLUSTER_ID: EnvVar<string> = declareEnv({
  name: "CLUSTER_ID",
  type: "string",
  default: "Orchestrator",
  doc: "Cluster and service registry this program belongs to.",
  readers,
});

/** Default of the flag `--keepaliveInterval`. */
export const GRPC_KEEPALIVE_INTERVAL: EnvVar<number> = declareEnv({
  name: "GRPC_KEEPALIVE_INTERVAL",
  type: "duration",
  default: "30s",
  range: { least: 1 },
  doc: "Time without activity on a gRPC connection after which the peer is pinged.",
  readers,
});

/** Default of the flag `--keepaliveTimeout`. */
export const GRPC_KEEPALIVE_TIMEOUT: EnvVar<number> = declareEnv({
  name: "GRPC_KEEPALIVE_TIMEOUT",
  type: "duration",
  default: "10s",
  range: { least: 1 },
  doc: "Wait for the answer to a ping before a gRPC connection is closed.",
  readers,
});
