import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { flag, outputFlag } from "./flags.ts";
import { DAEMON_FLAGS, FILE_FLAGS } from "./mesh_flags.ts";

/** `rehearse`. */
export const served: CommandSpec = {
  name: "rehearse",
  summary: "Compare this version's translation with what a running daemon serves",
  description:
    "Translates configuration files, or the objects of the live cluster, for the proxies that are\n" +
    "connected to the daemons, and lists the resources that differ from those that the daemons\n" +
    "serve: what an upgrade to this version would change. Set the environment variables of the\n" +
    "daemon.",
  examples: [
    "meshctl rehearse",
    "meshctl rehearse --config-dir config/ --daemon localhost:8080",
  ],
  flags: [
    ...FILE_FLAGS,
    ...DAEMON_FLAGS,
    flag("fail", "bool", "End with status 79 when something differs"),
    outputFlag(["text", "json"], "text"),
  ],
  run: async (call) => {
    const { compareServed } = await import("../../../lib/insight/questions/mod.ts");
    return await compareServed(call);
  },
};
