import { type CommandSpec, helpText, usageError } from "../../../lib/kit/cli/mod.ts";
import { REVISION, XDS_FLAGS } from "./flags.ts";
import { GLOBAL_FLAGS } from "../global_flags.ts";

/** `authz`, which is a sub-command of `experimental`. */
export const authz: CommandSpec = {
  name: "authz",
  summary: "Experimental; use `meshctl experimental authz`",
  run: () => {
    throw usageError("authz is experimental", "Use `meshctl experimental authz`.");
  },
};

/** `remote-clusters`. */
export const remoteClusters: CommandSpec = {
  name: "remote-clusters",
  summary: "List the clusters that each daemon is connected to",
  examples: ["meshctl remote-clusters", "meshctl remote-clusters --revision canary"],
  flags: [REVISION, ...XDS_FLAGS],
  run: async (call) =>
    await (await import("../../../lib/insight/daemons/mod.ts")).remoteClusters(call),
};

/** `options`: the global flags. */
export const options: CommandSpec = {
  name: "options",
  summary: "List the flags of all commands",
  run: ({ io }) => {
    const program = { name: "meshctl", summary: "", globalFlags: GLOBAL_FLAGS };
    const text = helpText(program, [program]);
    io.out(text.slice(text.indexOf("Flags:")));
    return 0;
  },
};
