import type { CommandSpec, FlagSpec, Invocation } from "../../../lib/kit/cli/mod.ts";
import { flag, MANIFESTS, outputFlag, REVISION, SKIP_CONFIRMATION } from "./flags.ts";

const TAG_ARG = { name: "revision-tag", description: "Name of the tag" };
const TAG_FLAGS: readonly FlagSpec[] = [
  flag(
    "auto-inject-namespaces",
    "bool",
    "Inject into namespaces without a label, too; for the tag default",
  ),
  MANIFESTS,
  flag("overwrite", "bool", "Change a tag that exists"),
  { ...REVISION, description: "Revision that the tag points to" },
  { ...SKIP_CONFIRMATION, description: "Go on although other webhooks select the same pods" },
  flag("webhook-name", "string", "Name of the configuration of webhooks"),
];

/** Revision tags. */
export const tag: CommandSpec = {
  name: "tag",
  summary: "Commands about revision tags",
  description: "A tag is a name for a revision of the control plane. Namespaces with the label\n" +
    "mesh.io/rev=TAG are injected by the revision that the tag points to. The tag default\n" +
    "is that of mesh-injection=enabled, and of objects without a label of a revision.",
  commands: [
    {
      name: "generate",
      summary: "Print the manifest of a tag",
      examples: ["meshctl tag generate prod --revision canary | kubectl apply -f -"],
      args: [TAG_ARG],
      flags: TAG_FLAGS,
      run: async (call) => (await writing()).generateTag(call, await parts(call)),
    },
    {
      name: "set",
      summary: "Create or change a tag",
      examples: [
        "meshctl tag set prod --revision stable",
        "meshctl tag set prod --revision canary --overwrite",
      ],
      args: [TAG_ARG],
      flags: TAG_FLAGS,
      run: async (call) => (await writing()).setTag(call, await parts(call)),
    },
    {
      name: "list",
      aliases: ["show"],
      summary: "List tags with their revisions and namespaces",
      examples: ["meshctl tag list", "meshctl tag list -o json"],
      flags: [outputFlag(["table", "json", "yaml"], "table")],
      run: async (call) => (await writing()).listTags(call, await opener(call)),
    },
    {
      name: "remove",
      aliases: ["delete"],
      summary: "Remove a tag",
      description:
        "Removes a tag. New pods of the namespaces that follow it get no proxy, so that\n" +
        "their names are shown first.",
      examples: ["meshctl tag remove prod"],
      args: [TAG_ARG],
      flags: [SKIP_CONFIRMATION],
      run: async (call) => (await writing()).removeTag(call, await opener(call)),
    },
  ],
};

function writing() {
  return import("../../../lib/cluster/revision_tags/mod.ts");
}

async function opener(call: Invocation) {
  const { openCluster } = await import("../../../lib/insight/cluster_access/mod.ts");
  return () => openCluster(call);
}

async function parts(call: Invocation) {
  const { analyzeFileSet, renderMessage } = await import("../../../lib/insight/analyze/mod.ts");
  const { defaultMeshConfig } = await import("../../../lib/mesh/schema/mod.ts");
  return {
    open: await opener(call),
    conflicts: (configurations: readonly unknown[]) =>
      analyzeFileSet({
        objects: [],
        seen: configurations.map((value) => ({ value, file: "", line: 1 })),
        mesh: defaultMeshConfig(),
        meshNamespace: call.flags.string("meshNamespace"),
        domain: "cluster.local",
        assumeGateway: false,
        analyzers: ["webhook.Analyzer"],
        now: () => performance.now(),
      }).filter(({ path }) => !path.includes("clientConfig")).map(renderMessage),
  };
}
