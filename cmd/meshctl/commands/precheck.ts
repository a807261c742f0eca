import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { flag, outputFlag, REVISION, XDS_FLAGS } from "./flags.ts";
import { FILE_FLAGS } from "./mesh_flags.ts";

/** `experimental precheck`. */
export const precheck: CommandSpec = {
  name: "precheck",
  summary: "Check if the mesh can be installed or upgraded",
  description:
    "Checks the version of the orchestrator, the rights of the identity, the definitions of\n" +
    "the Gateway API, the network plugin where pods need it, and the sockets of running pods: no\n" +
    "port of a Service may be bound to the loopback interface alone. With --from-version it says which defaults differ from\n" +
    "those of that version, which removed fields are in use, and which objects this version\n" +
    "rejects. With --proxies it says which connected proxies this version would serve something\n" +
    "else, as `meshctl rehearse` does; set the environment variables of the daemon. The status is\n" +
    "1 when an error is found.",
  examples: [
    "meshctl x precheck",
    "meshctl x precheck --from-version 0.1.0 --proxies",
    "meshctl x precheck --output-threshold Info -o json",
  ],
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
    flag("proxies", "bool", "Compare this version's translation with what proxies are served"),
    ...FILE_FLAGS,
    ...XDS_FLAGS,
  ],
  run: async (call) => await (await import("../../../lib/insight/precheck/mod.ts")).precheck(call),
};
