import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { flag } from "./flags.ts";
import { POD } from "./proxy.ts";

/** `experimental check-inject`. */
export const checkInject: CommandSpec = {
  name: "check-inject",
  aliases: ["inject-check", "chk-inj"],
  summary: "Show which injectors put the proxy into a pod, and why",
  examples: ["meshctl x check-inject web-1.shop", "meshctl x check-inject -n shop -l app=web"],
  args: [POD],
  flags: [flag("labels", "string", "Labels of a pod that does not exist", { short: "l" })],
  run: async (call) => {
    const { openCluster, podNamed } = await import("../../../lib/insight/cluster_access/mod.ts");
    const { checkInject } = await import("../../../lib/cluster/injectors/mod.ts");
    using cluster = await openCluster(call);
    return await checkInject(call, { ...cluster, podNamed: (name) => podNamed(cluster, name) });
  },
};
