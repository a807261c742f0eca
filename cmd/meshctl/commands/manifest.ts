/**
 * `manifest`: manifests of an installation, without a cluster.
 *
 * @module
 */
import type { CommandSpec, FlagSpec, Invocation } from "../../../lib/kit/cli/mod.ts";
import { flag, MANIFESTS, REVISION } from "./flags.ts";
import { manifestInstall } from "./install.ts";

/** Documents and settings that decide what is installed. */
const DOCUMENT_FLAGS: readonly FlagSpec[] = [
  flag("charts", "string", "Deprecated; use --manifests", { complete: "directory" }),
  flag("component", "stringSlice", "Only these components, such as Pilot or mesh-ingressgateway"),
  flag("filename", "stringSlice", "MeshOperator files, later ones override earlier ones", {
    short: "f",
    complete: "file",
  }),
  flag("force", "bool", "Go on despite validation errors"),
  MANIFESTS,
  flag("output", "string", "Directory to write to", { short: "o", complete: "directory" }),
  REVISION,
  flag("set", "stringArray", "Override path=value; may be repeated", { short: "s" }),
];

/** The cluster of a call. Without one, the client of the API server is not loaded. */
async function opened(call: Invocation) {
  const { openCluster } = await import("../../../lib/insight/cluster_access/mod.ts");
  return await openCluster(call);
}

const generate: CommandSpec = {
  name: "generate",
  summary: "Print the manifests of an installation",
  description:
    "Merges the profile, the files from left to right and the settings, and prints the objects\n" +
    "that install would apply. With --output each component gets a file of its own. No cluster is\n" +
    "asked, unless --cluster-specific is given: then the version and the APIs of the cluster decide\n" +
    "what the charts make.",
  examples: [
    "meshctl manifest generate",
    "meshctl manifest generate --set profile=demo -o manifests/",
    "meshctl manifest generate -f mesh.yaml -f production.yaml",
    "meshctl manifest generate --set 'components.ingressGateways.[name:mesh-ingressgateway].k8s.replicaCount=2'",
    "meshctl manifest generate --set meshConfig.accessLogFile=/dev/stdout --component Pilot",
  ],
  flags: [
    ...DOCUMENT_FLAGS,
    flag("cluster-specific", "bool", "Read the version, the APIs and the platform of the cluster"),
  ],
  run: async (call) => {
    const { generateManifests } = await import("../../../lib/cluster/manifests/mod.ts");
    return await generateManifests(call, () => opened(call));
  },
};

const translate: CommandSpec = {
  name: "translate",
  summary: "Print the values of charts, ready for Helm",
  description:
    "Merges as generate does, and prints the values with which Helm installs the charts of the\n" +
    "components. Settings that no value expresses, such as overlays, are named.",
  examples: [
    "meshctl manifest translate -f mesh.yaml",
    "meshctl manifest translate --set profile=demo -o values/",
  ],
  flags: DOCUMENT_FLAGS,
  run: async (call) => {
    const { translateManifests } = await import("../../../lib/cluster/manifests/mod.ts");
    return await translateManifests(call);
  },
};

const diff: CommandSpec = {
  name: "diff",
  summary: "Compare manifests with each other or with the cluster",
  description:
    "Compares two files or directories of manifests, object by object and field by field; with\n" +
    "one, what the cluster has with what applying it would make. Nothing is written. The status is 1\n" +
    "if there are differences. Objects are named Kind:namespace:name, with * for any text.",
  examples: [
    "meshctl manifest diff before.yaml after.yaml",
    "meshctl manifest diff before/ after/ --ignore 'ConfigMap:*:mesh'",
    "meshctl manifest diff before/ after/ --rename 'Deployment:*:meshd=Deployment:*:meshd-canary'",
    "meshctl manifest generate -f mesh.yaml | meshctl manifest diff -",
  ],
  args: [
    { name: "first", description: "File, directory, or - for standard input", complete: "file" },
    {
      name: "second",
      description: "File or directory; without it, the cluster",
      complete: "file",
      optional: true,
    },
  ],
  flags: [
    flag("directory", "bool", "Directories are compared; it is found out without this flag", {
      short: "r",
    }),
    flag("ignore", "stringSlice", "Objects to leave out, Kind:namespace:name", {
      aliases: ["ignoreResources"],
    }),
    flag("select", "stringSlice", "Only these objects, Kind:namespace:name", {
      aliases: ["selectResources"],
    }),
    flag("rename", "stringMap", "Objects of the first side that have another name in the second", {
      aliases: ["renameResources"],
    }),
    flag("verbose", "bool", "Print objects that only one side has", { short: "v" }),
  ],
  run: async (call) => {
    const { diffManifests } = await import("../../../lib/cluster/manifests/mod.ts");
    return await diffManifests(call, () => opened(call));
  },
};

/** `manifest` and its sub-commands. */
export const manifest: CommandSpec = {
  name: "manifest",
  summary: "Commands about manifests of an installation",
  commands: [generate, translate, diff, manifestInstall],
};
