/**
 * Variables of the workload that the agent stands beside.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../env/mod.ts";

const readers = ["pilot-agent"] as const;

/** They, each documented at its declaration. */
export const WORKLOAD_VARIABLES: {
  readonly podName: EnvVar<string | undefined>;
  readonly podNamespace: EnvVar<string | undefined>;
  readonly instanceIp: EnvVar<string | undefined>;
  readonly serviceAccount: EnvVar<string | undefined>;
  readonly clusterId: EnvVar<string>;
  readonly dualStack: EnvVar<boolean>;
  readonly cpuLimit: EnvVar<number>;
} = {
  podName: declareEnv({
    name: "POD_NAME",
    type: "string",
    doc: "Name of the own pod; the host name when it is not set.",
    readers,
  }),
  podNamespace: declareEnv({
    name: "POD_NAMESPACE",
    type: "string",
    doc:
      "Namespace of the own pod; without it the agent takes `default`, and the daemon what its " +
      "flags say.",
    readers,
  }),
  instanceIp: declareEnv({
    name: "INSTANCE_IP",
    type: "string",
    doc: "First address of the workload; found at the network interfaces when it is not set.",
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
    doc: "CPU limit of the process in whole CPUs; the number of workers when nothing else says.",
    readers,
  }),
};

declareEnv({
  name: "MESH_META_CLUSTER_ID",
  type: "string",
  doc: "Cluster that the proxy says it is in; like all variables that begin with MESH_META_, it " +
    "goes into the metadata of the proxy's node, where it is read by its prefix.",
  readers,
});
