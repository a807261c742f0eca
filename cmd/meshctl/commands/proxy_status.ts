import type { CommandSpec, FlagSpec } from "../../../lib/kit/cli/mod.ts";
import { fileFlag, flag, REVISION, XDS_FLAGS } from "./flags.ts";
import { PROXY } from "./proxy.ts";

const FLAGS: readonly FlagSpec[] = [
  fileFlag("Config dump of the proxy, - for standard input"),
  REVISION,
  ...XDS_FLAGS,
];

export const proxyStatus: CommandSpec = {
  name: "proxy-status",
  aliases: ["ps"],
  summary: "Show how far proxies follow the daemon",
  examples: ["meshctl proxy-status", "meshctl proxy-status web-1.shop"],
  args: [PROXY],
  flags: FLAGS,
  run: async (call) =>
    await (await import("../../../lib/insight/proxies/mod.ts")).proxyStatus(call),
};

export const experimentalProxyStatus: CommandSpec = {
  name: "proxy-status",
  aliases: ["ps"],
  summary: "Show how far proxies follow the daemon",
  args: [PROXY],
  flags: [
    ...FLAGS,
    flag("xds-via-agents", "bool", "Ask through the debug interface of each agent"),
    flag("xds-via-agents-limit", "int", "Number of agents to ask, 0 for all", { default: "100" }),
  ],
  run: async (call) =>
    await (await import("../../../lib/insight/proxies/mod.ts")).proxyStatus(call),
};
