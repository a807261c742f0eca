import type { ArgSpec, CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { fileFlag, flag, outputFlag } from "./flags.ts";

/** A command without its function: flags and help are there. */
type Outline = Omit<CommandSpec, "run" | "commands">;

/** A sub-command that shows a part of a dump, everything, or log levels. */
function part(outline: Outline): CommandSpec {
  const { name } = outline;
  return {
    ...outline,
    run: async (call) => {
      const { nodeLog, showNode, showNodePart } = await import(
        "../../../lib/insight/proxies/mod.ts"
      );
      if (name === "log") return await nodeLog(call);
      return name === "all" ? await showNode(call) : await showNodePart(call, name);
    },
  };
}

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
    part({ name: "all", summary: "Show everything", args: [POD], flags: NODE_FLAGS }),
    part({
      name: "certificate",
      aliases: ["certificates", "certs", "cert"],
      summary: "Show certificates",
      args: [POD],
      flags: NODE_FLAGS,
    }),
    part({
      name: "service",
      aliases: ["services", "s", "svc"],
      summary: "Show services",
      args: [POD],
      flags: [...NODE_FLAGS, namespaceFlag("service")],
    }),
    part({
      name: "policy",
      aliases: ["policies", "p", "pol"],
      summary: "Show policies",
      args: [POD],
      flags: [...NODE_FLAGS, namespaceFlag("policy")],
    }),
    part({
      name: "workload",
      aliases: ["w", "workloads"],
      summary: "Show workloads",
      args: [POD],
      flags: [...NODE_FLAGS, namespaceFlag("workload"), WORKLOAD_NODE, ADDRESS],
    }),
    part({
      name: "connections",
      aliases: ["cons"],
      summary: "Show connections",
      args: [POD],
      flags: [
        ...NODE_FLAGS,
        flag("workload", "string", "The workload, as NAME or NAME.NAMESPACE"),
        namespaceFlag("workload"),
        WORKLOAD_NODE,
        flag("direction", "string", "Direction of the connections", {
          choices: ["inbound", "outbound"],
        }),
        flag("raw", "bool", "Show addresses instead of names"),
      ],
    }),
    part({
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
