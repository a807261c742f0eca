import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { flag, outputFlag, REVISION } from "./flags.ts";

/** `experimental precheck`. */
export const precheck: CommandSpec = {
  name: "precheck",
  summary: "Check if the mesh can be installed or upgraded",
  description:
    "Checks the version of the orchestrator, the rights of the identity, the definitions of\n" +
    "the Gateway API, and the sockets of running pods: no port of a Service may be bound to\n" +
    "the loopback interface alone. With --from-version it says which defaults differ from\n" +
    "those of that version: no release has changed one. The status is 1 when an error is found.",
  examples: ["meshctl x precheck", "meshctl x precheck --output-threshold Info -o json"],
  flags: [
    flag("from-version", "string", "Version that is upgraded from", { short: "f" }),
    outputFlag(["log", "json", "yaml"], "log"),
    flag("output-threshold", "string", "Lowest severity that is shown", {
      typeName: "Level",
      default: "Warning",
      choices: ["Info", "Warning", "Error"],
    }),
    REVISION,
    flag("skip-controlplane", "bool", "Do not check the control plane"),
  ],
  run: async (call) => await (await import("../../../lib/insight/precheck/mod.ts")).precheck(call),
};
