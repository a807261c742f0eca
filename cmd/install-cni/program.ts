import {
  completionCommand,
  type Invocation,
  loggingFlagValues,
  type ProgramSpec,
  versionCommand,
} from "../../lib/kit/cli/mod.ts";
import { configureLogging, withLogging } from "../../lib/kit/log/mod.ts";
import { GLOBAL_FLAGS, INSTALL_FLAGS } from "./flags.ts";

/** The command line of the network plugin's agent. */
export const INSTALL_CNI: ProgramSpec = {
  name: "install-cni",
  summary: "Install and configure the mesh's network plugin on a node",
  description: "Installs the network plugin on a node, keeps it installed, answers the plugin's " +
    "calls, and detects and repairs pods that started before the plugin was there.",
  examples: [
    "install-cni",
    "install-cni --cni-conf-name=10-calico.conflist --repair-enabled --repair-delete-pods",
    "install-cni --chained-cni-plugin=false",
  ],
  globalFlags: GLOBAL_FLAGS,
  flags: INSTALL_FLAGS,
  run: runInstall,
  commands: [withLogging(versionCommand()), withLogging(completionCommand("install-cni"))],
};

async function runInstall(call: Invocation): Promise<number> {
  // Loaded first: its modules open scopes that the logging flags may name.
  const { install } = await import("./install.ts");
  const { installOptions } = await import("./options.ts");
  const endLogging = configureLogging(loggingFlagValues(call.flags));
  try {
    return await install(await installOptions(call.flags), call.signal);
  } finally {
    endLogging();
  }
}
