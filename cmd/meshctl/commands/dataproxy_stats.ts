import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { ADMIN_PORT, fileFlag, flag, outputFlag } from "./flags.ts";

/** `experimental dataproxy-stats`. */
export const dataproxyStats: CommandSpec = {
  name: "dataproxy-stats",
  aliases: ["ds", "es", "envoy-stats"],
  summary: "Show metrics of a proxy",
  examples: ["meshctl x dataproxy-stats web-1.shop --type clusters"],
  args: [{ name: "pod-name[.namespace]", description: "Pod of the proxy", optional: true }],
  flags: [
    flag("type", "string", "Metrics of the proxy or its clusters", {
      short: "t",
      default: "server",
      choices: ["server", "clusters"],
    }),
    outputFlag(["short", "json", "yaml", "prom", "prom-merged"], "short"),
    flag("selector", "string", "Labels that select pods", { short: "l" }),
    ADMIN_PORT,
    fileFlag("URL of the proxy's admin page"),
  ],
  run: async (call) =>
    await (await import("../../../lib/insight/proxies/mod.ts")).dataproxyStats(call),
};
