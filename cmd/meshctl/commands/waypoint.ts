/**
 * Commands about waypoints and the node proxy. None is implemented; their flags and help are there.
 *
 * @module
 */
import type { ArgSpec, CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { fileFlag, flag, outputFlag, REVISION } from "./flags.ts";
import { AMBIENT_REMEDY, notYet, type Outline } from "./not_yet.ts";

const NAME = flag("name", "string", "Name of the waypoint", { default: "waypoint" });
const FOR = flag("for", "string", "Traffic that the waypoint handles", {
  choices: ["all", "none", "service", "workload"],
});
const ALL_NAMESPACES = flag("all-namespaces", "bool", "All namespaces", { short: "A" });

const ambient = (outline: Outline): CommandSpec => notYet(outline, AMBIENT_REMEDY);

/** `waypoint` and its sub-commands. */
export const waypoint: CommandSpec = {
  name: "waypoint",
  summary: "Commands about waypoints",
  commands: [
    ambient({
      name: "apply",
      summary: "Create a waypoint",
      flags: [
        NAME,
        flag("enroll-namespace", "bool", "Label the namespace with the name of the waypoint"),
        FOR,
        flag("overwrite", "bool", "Replace the label of the namespace"),
        REVISION,
        flag("wait", "bool", "Wait until the waypoint is ready", { short: "w" }),
      ],
    }),
    ambient({ name: "generate", summary: "Print a waypoint", flags: [NAME, FOR, REVISION] }),
    ambient({
      name: "delete",
      summary: "Delete waypoints",
      args: [{ name: "name", description: "Waypoints", optional: true, variadic: true }],
      flags: [NAME, flag("all", "bool", "All waypoints of the namespace")],
    }),
    ambient({ name: "list", summary: "List waypoints", flags: [NAME, ALL_NAMESPACES] }),
    ambient({
      name: "status",
      summary: "Show the status of waypoints",
      args: [{ name: "name", description: "Waypoint", optional: true }],
      flags: [
        NAME,
        ALL_NAMESPACES,
        flag("wait", "bool", "Wait until the waypoints are ready", { short: "w" }),
        flag("waypoint-timeout", "duration", "Longest wait", { default: "90s" }),
      ],
    }),
  ],
};

const POD: ArgSpec = { name: "pod", description: "[<type>/]<name>[.<namespace>]", optional: true };

/** The flags of the sub-commands of `ztunnel-config`. */
const NODE_FLAGS = [
  flag("node", "string", "Node whose proxy is read"),
  fileFlag("Dump of the node proxy, - for standard input"),
  outputFlag(["short", "json", "yaml"], "short"),
  flag("proxy-admin-port", "int", "Port of the proxy's admin interface", { default: "15000" }),
];

const namespaceFlag = (kind: string) =>
  flag(`${kind}-namespace`, "string", `Namespace of the ${kind}`);
const WORKLOAD_NODE = flag("workload-node", "string", "Node of the workload");
const ADDRESS = flag("address", "string", "Address of the workload");

/** `ztunnel-config` and its sub-commands. */
export const ztunnelConfig: CommandSpec = {
  name: "ztunnel-config",
  aliases: ["zc"],
  summary: "Show the configuration of the node proxy",
  commands: [
    ambient({ name: "all", summary: "Show everything", args: [POD], flags: NODE_FLAGS }),
    ambient({
      name: "certificate",
      aliases: ["certificates", "certs", "cert"],
      summary: "Show certificates",
      args: [POD],
      flags: NODE_FLAGS,
    }),
    ambient({
      name: "service",
      aliases: ["services", "s", "svc"],
      summary: "Show services",
      args: [POD],
      flags: [...NODE_FLAGS, namespaceFlag("service")],
    }),
    ambient({
      name: "policy",
      aliases: ["policies", "p", "pol"],
      summary: "Show policies",
      args: [POD],
      flags: [...NODE_FLAGS, namespaceFlag("policy")],
    }),
    ambient({
      name: "workload",
      aliases: ["w", "workloads"],
      summary: "Show workloads",
      args: [POD],
      flags: [...NODE_FLAGS, namespaceFlag("workload"), WORKLOAD_NODE, ADDRESS],
    }),
    ambient({
      name: "connections",
      aliases: ["cons"],
      summary: "Show connections",
      args: [POD],
      flags: [
        ...NODE_FLAGS,
        namespaceFlag("workload"),
        WORKLOAD_NODE,
        flag("direction", "string", "Direction of the connections", {
          choices: ["inbound", "outbound"],
        }),
        flag("raw", "bool", "Show addresses instead of names"),
      ],
    }),
    ambient({
      name: "log",
      aliases: ["o"],
      summary: "Read or change log levels of the node proxy",
      args: [POD],
      flags: [
        ...NODE_FLAGS,
        flag("level", "string", "Levels [logger:]level[,…]"),
        flag("reset", "bool", "Set the default levels", { short: "r" }),
      ],
    }),
  ],
};
