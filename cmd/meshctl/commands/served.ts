import { type CommandSpec, usageError } from "../../../lib/cli/mod.ts";
import { flag, outputFlag } from "./flags.ts";
import { DAEMON_FLAGS, daemonPages, FILE_FLAGS, meshFiles } from "./mesh_flags.ts";

/** `rehearse`. */
export const served: CommandSpec = {
  name: "rehearse",
  summary: "Compare this version's translation with what a running daemon serves",
  description:
    "Translates configuration files for the proxies that are connected to a daemon, and lists\n" +
    "the resources that differ from those that the daemon serves: what an upgrade to this version\n" +
    "would change. Set the environment variables of the daemon.",
  examples: ["meshctl rehearse --config-dir config/ --daemon localhost:8080"],
  flags: [
    ...FILE_FLAGS,
    ...DAEMON_FLAGS,
    flag("fail", "bool", "End with status 79 when something differs"),
    outputFlag(["text", "json"], "text"),
  ],
  run: async (call) => {
    const { compareServed } = await import("../served.ts");
    const daemon = daemonPages(call);
    if (daemon === undefined) throw usageError("no daemon is named", "Give --daemon HOST:PORT.");
    const { flags, io } = call;
    return await compareServed({
      files: meshFiles(call),
      daemon,
      fail: flags.bool("fail"),
      output: flags.string("output"),
    }, io);
  },
};
