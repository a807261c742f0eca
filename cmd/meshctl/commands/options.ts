import { type CommandSpec, helpText } from "../../../lib/kit/cli/mod.ts";
import { GLOBAL_FLAGS } from "../global_flags.ts";

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
