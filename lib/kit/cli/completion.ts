import { type Shell, SHELL_SCRIPTS } from "./shells.ts";
import type { CommandSpec } from "./spec.ts";

/** The command `completion` with a sub-command for each shell. */
export function completionCommand(program: string): CommandSpec {
  const shells = Object.keys(SHELL_SCRIPTS) as Shell[];
  return {
    name: "completion",
    summary: "Generate the autocompletion script for the specified shell",
    description: `Generate the autocompletion script for ${program} for the specified shell.\n` +
      "See each sub-command's help for how to load the script.",
    commands: shells.map((shell) => shellCommand(program, shell)),
  };
}

function shellCommand(program: string, shell: Shell): CommandSpec {
  const { load, script } = SHELL_SCRIPTS[shell];
  return {
    name: shell,
    summary: `Generate the autocompletion script for ${shell}`,
    description: `Generate the autocompletion script for ${shell}.\n\n` +
      `To load it in the current session:\n\n  ${load.replaceAll("PROGRAM", program)}`,
    flags: [{
      name: "no-descriptions",
      type: "bool",
      description: "Disable completion descriptions",
    }],
    run: ({ flags, io }) => {
      const ask = flags.bool("no-descriptions") ? "__completeNoDesc" : "__complete";
      const identifier = program.replaceAll(/[^A-Za-z0-9]/g, "_");
      io.out(
        script.replaceAll("PROGRAM", program).replaceAll("IDENTIFIER", identifier)
          .replaceAll("ASK", ask),
      );
      return 0;
    },
  };
}
