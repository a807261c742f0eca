/**
 * Commands about installations and workloads outside the orchestrator. They are not
 * implemented; their flags and help are there.
 *
 * @module
 */
import type { CommandSpec, FlagSpec } from "../../../lib/kit/cli/mod.ts";
import { fileFlag, flag, MANIFESTS, outputFlag, REVISION, SKIP_CONFIRMATION } from "./flags.ts";
import { notYet } from "./not_yet.ts";

const SET = flag("set", "stringArray", "Override path=value; may be repeated", { short: "s" });
const FORCE = flag("force", "bool", "Go on despite validation errors");
const DRY_RUN = flag("dry-run", "bool", "Print the changes only");

const INSTALL_FLAGS: readonly FlagSpec[] = [
  flag("charts", "string", "Deprecated; use --manifests", { complete: "directory" }),
  DRY_RUN,
  flag("filename", "stringSlice", "MeshOperator files, later ones override earlier ones", {
    short: "f",
    complete: "file",
  }),
  FORCE,
  MANIFESTS,
  flag("readiness-timeout", "duration", "Longest wait until everything is ready", {
    default: "5m0s",
  }),
  REVISION,
  SET,
  SKIP_CONFIRMATION,
  flag("verify", "bool", "Verify the installation afterwards"),
];

/** `install`, and `upgrade` with the same flags. */
export const install: CommandSpec = notYet({
  name: "install",
  aliases: ["apply"],
  summary: "Install or reconfigure the mesh in a cluster",
  examples: ["meshctl install --set profile=demo", "meshctl install -f mesh.yaml --dry-run"],
  flags: INSTALL_FLAGS,
});

export const upgrade: CommandSpec = notYet({
  name: "upgrade",
  summary: "Upgrade the mesh in a cluster",
  examples: ["meshctl upgrade -f mesh.yaml"],
  flags: INSTALL_FLAGS,
});

export const uninstall: CommandSpec = notYet({
  name: "uninstall",
  summary: "Remove the mesh from a cluster",
  examples: ["meshctl uninstall --revision canary", "meshctl uninstall --purge"],
  flags: [
    DRY_RUN,
    flag("filename", "string", "MeshOperator file", { short: "f", complete: "file" }),
    FORCE,
    MANIFESTS,
    flag("purge", "bool", "Delete all resources of all versions"),
    REVISION,
    SET,
    SKIP_CONFIRMATION,
    flag("verbose", "bool", "Print more", { short: "v" }),
  ],
});

/** `manifest` and its sub-commands. */
export const manifest: CommandSpec = {
  name: "manifest",
  summary: "Commands about manifests of an installation",
  commands: [
    notYet({
      name: "generate",
      summary: "Print the manifests of an installation",
      flags: [
        ...INSTALL_FLAGS,
        flag("output", "string", "Directory to write to", { short: "o", complete: "directory" }),
        flag("cluster-specific", "bool", "Read properties of the cluster"),
      ],
    }),
    notYet({
      name: "translate",
      summary: "Translate MeshOperator files to values of charts",
      flags: [
        flag("filename", "stringSlice", "MeshOperator files", { short: "f", complete: "file" }),
        SET,
        flag("output", "string", "Directory to write to", { short: "o", complete: "directory" }),
      ],
    }),
    notYet({
      name: "install",
      aliases: ["apply"],
      summary: "Install or reconfigure the mesh in a cluster",
      flags: INSTALL_FLAGS,
    }),
  ],
};

/** Credentials for the API server of another cluster. */
export const createRemoteSecret: CommandSpec = notYet({
  name: "create-remote-secret",
  summary: "Create a secret with credentials for this cluster's API server",
  examples: ["meshctl create-remote-secret --context=c1 --name c1"],
  flags: [
    flag("auth-plugin-config", "stringMap", "Settings of the auth plugin"),
    flag("auth-plugin-name", "string", "Name of the auth plugin"),
    flag("auth-type", "string", "How the control plane authenticates", {
      default: "bearer-token",
      choices: ["bearer-token", "plugin"],
    }),
    flag("create-service-account", "bool", "Create the service account"),
    MANIFESTS,
    flag("name", "string", "Name of the cluster; default: UID of the system namespace"),
    flag("secret-name", "string", "Name of the secret with the token"),
    flag("server", "string", "Address and port of the API server"),
    flag("service-account", "string", "Service account", {
      default: "mesh-reader-service-account",
    }),
    flag("type", "string", "Purpose of the secret", {
      default: "remote",
      choices: ["remote", "config"],
    }),
  ],
});

/** Workloads outside the orchestrator. */
export const workload: CommandSpec = {
  name: "workload",
  summary: "Commands about workloads outside the orchestrator",
  commands: [
    {
      name: "group",
      summary: "Commands about WorkloadGroups",
      commands: [notYet({
        name: "create",
        summary: "Print a WorkloadGroup",
        flags: [
          flag("annotations", "stringSlice", "Annotations key=value", { short: "a" }),
          flag("labels", "stringSlice", "Labels key=value", { short: "l" }),
          flag("name", "string", "Name of the group"),
          flag("namespace", "string", "Namespace of the group", { short: "n" }),
          flag("ports", "stringSlice", "Ports name=number", { short: "p" }),
          flag("serviceAccount", "string", "Service account", { short: "s", default: "default" }),
        ],
      })],
    },
    {
      name: "entry",
      summary: "Commands about WorkloadEntries",
      commands: [notYet({
        name: "configure",
        summary: "Write the files that a workload needs to join the mesh",
        flags: [
          flag("autoregister", "bool", "The workload registers itself"),
          flag("capture-dns", "bool", "Capture DNS queries of the workload"),
          flag("clusterID", "string", "Name of the cluster"),
          flag("externalIP", "string", "Address of the workload in other networks"),
          flag("internalIP", "string", "Address of the workload"),
          flag("ingressIP", "string", "Address of the gateway to the daemon"),
          fileFlag("WorkloadGroup; without it the API server is read"),
          flag("ingressService", "string", "Service of the gateway to the daemon", {
            default: "mesh-eastwestgateway",
          }),
          flag("name", "string", "Name of the WorkloadGroup"),
          flag("namespace", "string", "Namespace of the WorkloadGroup", { short: "n" }),
          flag("output", "string", "Directory to write to", { short: "o", complete: "directory" }),
          REVISION,
          flag("tokenDuration", "int", "Lifetime of the token in seconds", { default: "3600" }),
        ],
      })],
    },
  ],
};

const TAG_ARG = { name: "revision-tag", description: "Name of the tag" };
const TAG_FLAGS: readonly FlagSpec[] = [
  flag("auto-inject-namespaces", "bool", "Inject into namespaces without label"),
  MANIFESTS,
  flag("overwrite", "bool", "Replace an existing tag"),
  REVISION,
  SKIP_CONFIRMATION,
  flag("webhook-name", "string", "Name of the webhook configuration"),
];

/** Revision tags. */
export const tag: CommandSpec = {
  name: "tag",
  summary: "Commands about revision tags",
  commands: [
    notYet({
      name: "generate",
      summary: "Print the manifest of a tag",
      args: [TAG_ARG],
      flags: TAG_FLAGS,
    }),
    notYet({ name: "set", summary: "Create or change a tag", args: [TAG_ARG], flags: TAG_FLAGS }),
    notYet({
      name: "list",
      aliases: ["show"],
      summary: "List tags",
      flags: [outputFlag(["table", "json", "yaml"], "table")],
    }),
    notYet({
      name: "remove",
      aliases: ["delete"],
      summary: "Remove a tag",
      args: [TAG_ARG],
      flags: [SKIP_CONFIRMATION],
    }),
  ],
};
