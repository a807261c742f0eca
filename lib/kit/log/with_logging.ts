/**
 * Logging flags of commands that are made elsewhere.
 *
 * @module
 */
import { type CommandSpec, type Invocation, loggingFlagValues } from "../cli/mod.ts";
import { configureLogging } from "./configure.ts";

/** A command with its program's logging flags in force while it runs: wrong ones are refused. */
export function withLogging(command: CommandSpec): CommandSpec {
  const { run, commands } = command;
  return {
    ...command,
    ...commands && { commands: commands.map(withLogging) },
    ...run && {
      run: async (call: Invocation) => {
        const endLogging = configureLogging(loggingFlagValues(call.flags));
        try {
          return await run(call);
        } finally {
          endLogging();
        }
      },
    },
  };
}
