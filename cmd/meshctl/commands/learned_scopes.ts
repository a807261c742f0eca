import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { outputFlag, REVISION, XDS_FLAGS } from "./flags.ts";

/** `experimental learned-scopes`. */
export const learnedScopes: CommandSpec = {
  name: "learned-scopes",
  summary: "List what workloads asked for on demand, or print it as Sidecar resources",
  description:
    "A workload with configuration on demand is sent the hosts and clusters that it asked for.\n" +
    "They are listed for each workload class: namespace, service account and labels. PROXIES are\n" +
    "the connected proxies that asked for a name, and those that were sent it. With\n" +
    "--output sidecar the same hosts are Sidecar resources, to be reviewed and applied.",
  examples: [
    "meshctl experimental learned-scopes",
    "meshctl experimental learned-scopes --namespace shop --output sidecar",
  ],
  flags: [outputFlag(["table", "json", "sidecar"], "table"), REVISION, ...XDS_FLAGS],
  run: async (call) =>
    await (await import("../../../lib/insight/daemons/mod.ts")).learnedScopes(call),
};
