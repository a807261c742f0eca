import type { CommandSpec } from "../../lib/cli/mod.ts";
import { warnOrchestratorFlags } from "./global_flags.ts";

/**
 * `version` with the flags that ask control planes. None is talked to yet, so that the client's
 * part is printed and standard error says that the rest is missing.
 */
export function withRemote(local: CommandSpec): CommandSpec {
  return {
    ...local,
    flags: [
      ...(local.flags ?? []),
      {
        name: "remote",
        type: "bool",
        default: "true",
        description: "Ask the control plane; --remote=false prints the client's version alone",
      },
      { name: "revision", short: "r", type: "string", description: "Control plane revision" },
    ],
    run: async (call) => {
      warnOrchestratorFlags(call.flags, call.io);
      const status = await local.run?.(call) ?? 0;
      if (call.flags.bool("remote")) {
        const which = call.flags.string("revision");
        const plane = which === "" ? "control plane" : `control plane of revision ${which}`;
        call.io.err(
          `${plane}: not connected (talking to an orchestrator is not supported yet; ` +
            "--remote=false leaves this out)\n",
        );
      }
      return status;
    },
  };
}
