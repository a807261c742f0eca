import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { flag, REVISION, XDS_FLAGS } from "./flags.ts";
import { PROXY } from "./proxy.ts";

/** `experimental internal-debug`. */
export const internalDebug: CommandSpec = {
  name: "internal-debug",
  aliases: ["iD"],
  summary: "Print a debug page of the daemon",
  examples: ["meshctl x internal-debug syncz --xds-address localhost:15010 --plaintext"],
  args: [PROXY],
  flags: [
    flag("all", "bool", "Ask every instance of the daemon"),
    flag("list", "bool", "List the debug pages"),
    REVISION,
    ...XDS_FLAGS,
  ],
  run: async (call) =>
    await (await import("../../../lib/insight/daemons/mod.ts")).internalDebug(call),
};
