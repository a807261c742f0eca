import { type CommandSpec, versionCommand } from "../../../lib/kit/cli/mod.ts";
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
  examples: ["meshctl version", "meshctl version --remote=false -o json"],
  flags: [...(OWN.flags ?? []), REMOTE, REVISION, ...XDS_FLAGS],
  run: async (call) => {
    if (!call.flags.bool("remote")) return await OWN.run?.(call) ?? 0;
    return await (await import("../../../lib/insight/daemons/mod.ts")).version(call);
  },
};

export const experimentalVersion: CommandSpec = version;
