import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { fileFlag, flag, REVISION } from "./flags.ts";

const groupCreate: CommandSpec = {
  name: "create",
  summary: "Print a WorkloadGroup",
  examples: [
    "meshctl x workload group create --name tills -n shop --labels app=till --ports http=8080 |\n" +
    "    kubectl apply -f -",
  ],
  flags: [
    flag("annotations", "stringSlice", "Annotations of the workloads, NAME=VALUE", { short: "a" }),
    flag("labels", "stringSlice", "Labels of the workloads, NAME=VALUE", { short: "l" }),
    flag("name", "string", "Name of the group"),
    flag("namespace", "string", "Namespace of the group", { short: "n" }),
    flag("ports", "stringSlice", "Ports of the workloads, NAME=NUMBER", { short: "p" }),
    flag("serviceAccount", "string", "Service account of the workloads", {
      short: "s",
      default: "default",
    }),
  ],
  run: async (call) => {
    const { createGroup } = await import("../../../lib/cluster/machines/mod.ts");
    return createGroup(call);
  },
};

const entryConfigure: CommandSpec = {
  name: "configure",
  summary: "Write the files that a machine needs to join the mesh",
  description:
    "Writes cluster.env, mesh.yaml, mesh-token, root-cert.pem and hosts for a machine of a\n" +
    "WorkloadGroup. docs/agent.md says where they go.",
  examples: [
    "meshctl x workload entry configure -f group.yaml --clusterID home --autoregister -o till-1",
    "meshctl x workload entry configure --name tills -n shop --internalIP 10.0.0.9 -o till-1",
  ],
  flags: [
    flag("autoregister", "bool", "The daemon makes the WorkloadEntry when the machine connects"),
    flag("capture-dns", "bool", "Capture DNS queries of the machine", { default: "true" }),
    flag("clusterID", "string", "Name of the cluster; default: that of injection"),
    flag("externalIP", "string", "Address of the machine without --internalIP"),
    flag("internalIP", "string", "Address of the machine; default: the agent finds it"),
    flag("ingressIP", "string", "Address of the gateway to the daemon, for the file hosts"),
    fileFlag("WorkloadGroup; without it the API server is read"),
    flag("ingressService", "string", "Service of the gateway, without --ingressIP", {
      default: "mesh-eastwestgateway",
    }),
    flag("name", "string", "Name of the WorkloadGroup"),
    flag("namespace", "string", "Namespace of the WorkloadGroup", { short: "n" }),
    flag("output", "string", "Directory to write to; default: the current one", {
      short: "o",
      complete: "directory",
    }),
    REVISION,
    flag("tokenDuration", "int", "Lifetime of the token in seconds", { default: "3600" }),
  ],
  run: async (call) => {
    const { openCluster } = await import("../../../lib/insight/cluster_access/mod.ts");
    const { configureMachine } = await import("../../../lib/cluster/machines/mod.ts");
    return await configureMachine(call, () => openCluster(call));
  },
};

/** Workloads outside the orchestrator. */
export const workload: CommandSpec = {
  name: "workload",
  summary: "Commands about workloads outside the orchestrator",
  commands: [
    { name: "group", summary: "Commands about WorkloadGroups", commands: [groupCreate] },
    { name: "entry", summary: "Commands about WorkloadEntries", commands: [entryConfigure] },
  ],
};
