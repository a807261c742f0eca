import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { flag, outputFlag, REVISION } from "./flags.ts";

const SELECTOR = flag("selector", "string", "Labels that select pods of the daemon", {
  short: "l",
  default: "app=meshd",
});

/** `admin` and its sub-commands. */
export const admin: CommandSpec = {
  name: "admin",
  aliases: ["meshd"],
  summary: "Commands about the daemon",
  flags: [SELECTOR],
  commands: [{
    name: "log",
    aliases: ["l"],
    summary: "Read or change log levels of the daemon",
    examples: [
      "meshctl admin log",
      "meshctl admin log --level ads:debug,default:warn",
      "meshctl admin log --reset",
    ],
    args: [{
      name: "pod-name",
      description: "Pod of the daemon, or the URL of its introspection pages",
      optional: true,
    }],
    flags: [
      flag("ctrlz_port", "int", "Port of the introspection pages", { default: "9876" }),
      flag("level", "string", "Levels <scope>:<level>[,…]"),
      flag("stack-trace-level", "string", "Levels from which stacks are logged"),
      outputFlag(["short", "json", "yaml"], "short"),
      flag("reset", "bool", "Set every scope to info"),
      REVISION,
      SELECTOR,
    ],
    run: async (call) => await (await import("../../../lib/insight/daemons/mod.ts")).adminLog(call),
  }],
};
