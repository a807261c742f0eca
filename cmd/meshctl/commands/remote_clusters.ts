import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { REVISION, XDS_FLAGS } from "./flags.ts";

export const remoteClusters: CommandSpec = {
  name: "remote-clusters",
  summary: "List the clusters that each daemon is connected to",
  examples: ["meshctl remote-clusters", "meshctl remote-clusters --revision canary"],
  flags: [REVISION, ...XDS_FLAGS],
  run: async (call) =>
    await (await import("../../../lib/insight/daemons/mod.ts")).remoteClusters(call),
};
