import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { flag, REVISION, XDS_FLAGS } from "./flags.ts";

export const orchInject: CommandSpec = {
  name: "orch-inject",
  aliases: ["kube-inject"],
  summary: "Inject the proxy into resources of workloads",
  examples: ["meshctl orch-inject -f deployment.yaml"],
  flags: [
    flag("filename", "string", "Resources to inject", { short: "f", complete: "file" }),
    flag("output", "string", "File to write to", { short: "o", complete: "file" }),
    flag("injectConfigFile", "string", "Injection template", { complete: "file" }),
    flag("injectConfigMapName", "string", "ConfigMap of the injection template"),
    flag("meshConfigFile", "string", "Mesh configuration", { complete: "file" }),
    flag("meshConfigMapName", "string", "ConfigMap of the mesh configuration", {
      default: "mesh",
    }),
    flag("operatorFileName", "string", "MeshOperator file", { complete: "file" }),
    flag("valuesFile", "string", "Values of the injection template", { complete: "file" }),
    flag("webhookConfig", "string", "Webhook configuration, whose path names cluster and network", {
      default: "mesh-sidecar-injector",
    }),
    REVISION,
    ...XDS_FLAGS,
  ],
  run: async (call) => {
    const { openCluster } = await import("../../../lib/insight/cluster_access/mod.ts");
    const { orchInject } = await import("../../../lib/cluster/injectors/mod.ts");
    return await orchInject(call, () => openCluster(call));
  },
};
