/**
 * Variables of the agent's workload.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../../kit/env/mod.ts";

const readers = ["pilot-agent"] as const;

/** The variables; each is documented at its declaration. */
export const WORKLOAD_VARIABLES: {
  readonly podName: EnvVar<string | undefined>;
  readonly podNamespace: EnvVar<string | undefined>;
  readonly instanceIp: EnvVar<string | undefined>;
  readonly hostIp: EnvVar<string | undefined>;
  readonly serviceAccount: EnvVar<string | undefined>;
  readonly clusterId: EnvVar<string>;
  readonly dualStack: EnvVar<boolean>;
  readonly cpuLimit: EnvVar<number>;
  readonly identitySocket: EnvVar<string>;
  readonly cloudPlatform: EnvVar<string | undefined>;
  readonly cloudMetadata: EnvVar<string | undefined>;
  readonly coreDumps: EnvVar<boolean>;
} = {
  podName: declareEnv({
    name: "POD_NAME",
    type: "string",
    doc: "Name of this pod; the host name when it is not set.",
    readers,
  }),
  podNamespace: declareEnv({
    name: "POD_NAMESPACE",
    type: "string",
    doc:
      "Namespace of this pod; by default `default` for the agent, and by its flags for the daemon.",
    readers,
  }),
  instanceIp: declareEnv({
    name: "INSTANCE_IP",
    type: "string",
    doc: "First address of the workload; by default an address of the network interfaces.",
    readers,
  }),
  hostIp: declareEnv({
    name: "HOST_IP",
    type: "string",
    doc: "Address of the node, for `$(HOST_IP)` in addresses of collectors.",
    readers,
  }),
  serviceAccount: declareEnv({
    name: "SERVICE_ACCOUNT",
    type: "string",
    doc: "Name of the workload's service account.",
    readers,
  }),
  clusterId: declareEnv({
    name: "CLUSTER_ID",
    type: "string",
    default: "Orchestrator",
    doc: "Cluster and service registry this program belongs to.",
    readers,
  }),
  dualStack: declareEnv({
    name: "MESH_DUAL_STACK",
    type: "bool",
    default: false,
    doc: "Support workloads with IPv4 and IPv6 addresses.",
    readers,
  }),
  cpuLimit: declareEnv({
    name: "MESH_CPU_LIMIT",
    type: "int",
    default: 0,
    range: { least: 0 },
    doc: "CPU limit of the process in whole CPUs; the default number of workers.",
    readers,
  }),
  identitySocket: declareEnv({
    name: "WORKLOAD_IDENTITY_SOCKET_FILE",
    type: "string",
    default: "socket",
    doc:
      "Name of the socket in `./var/run/secrets/workload-spiffe-uds` of another provider of the workload's secrets. It must be served; with the default name the agent serves the secrets itself where no other program does.",
    readers,
  }),
  cloudPlatform: declareEnv({
    name: "CLOUD_PLATFORM",
    type: "string",
    choices: ["aws", "azure", "gcp", "none"],
    doc:
      "Cloud platform whose metadata server gives locality and `PLATFORM_METADATA` of the proxy's node; none: no server is asked; by default it is detected.",
    readers,
  }),
  cloudMetadata: declareEnv({
    name: "CLOUDPLAT_METADATA",
    type: "string",
    doc:
      "Metadata of the platform `gcp` instead of those of its server: `PROJECT|NUMBER|CLUSTER|ZONE`; with all four parts no server is asked.",
    readers,
  }),
  coreDumps: declareEnv({
    name: "MESH_DATAPROXY_ENABLE_CORE_DUMP",
    type: "bool",
    default: false,
    doc:
      "Raise the proxy's limit of core dumps to the hard limit of the agent's process, with `/bin/sh`, which the agent must be permitted to run; otherwise the limit is that of the agent.",
    readers,
  }),
};

declareEnv({
  name: "MESH_META_CLUSTER_ID",
  type: "string",
  doc:
    "Cluster of the proxy. All variables that begin with MESH_META_ become metadata of the proxy's node.",
  readers,
});
