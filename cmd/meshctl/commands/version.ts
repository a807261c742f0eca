import { type CommandSpec, versionCommand } from "../../../lib/cli/mod.ts";
import { warnOrchestratorFlags } from "../global_flags.ts";
import { flag, REVISION, XDS_FLAGS } from "./flags.ts";

const OWN = versionCommand();
const REMOTE = flag(
  "remote",
  "bool",
  "Ask the control plane; --remote=false prints the client's version alone",
  { default: "true" },
);

/** `version`, with the flags that ask control planes. */
export const version: CommandSpec = {
  ...OWN,
  flags: [...(OWN.flags ?? []), REMOTE, REVISION],
  run: async (call) => {
    warnOrchestratorFlags(call.flags, call.io);
    const status = await OWN.run?.(call) ?? 0;
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

/** `experimental version`. */
export const experimentalVersion: CommandSpec = {
  ...version,
  flags: [...(version.flags ?? []), ...XDS_FLAGS],
};
