import {
  completionCommand,
  type Invocation,
  type ProgramSpec,
  versionCommand,
} from "../../lib/cli/mod.ts";
import { GLOBAL_FLAGS, warnOrchestratorFlags } from "./global_flags.ts";
import { validate } from "./validate.ts";
import { withRemote } from "./version.ts";

/** The command line of the operator's tool. */
export const MESHCTL: ProgramSpec = {
  name: "meshctl",
  summary: "Mesh control interface",
  description: "The operator's tool of the mesh: checks configuration before it is applied.",
  globalFlags: GLOBAL_FLAGS,
  commands: [
    {
      name: "validate",
      aliases: ["v"],
      summary: "Validate mesh configuration and rules files",
      description:
        "Checks files of mesh configuration by the rules that admission applies, without a cluster.\n" +
        "Objects of other kinds are let through; Deployments and Services get hints.",
      examples: [
        "meshctl validate -f samples/routes.yaml",
        "meshctl validate -f config/ -f extra.yaml",
        "generate | meshctl validate -f -",
      ],
      flags: [{
        name: "filename",
        short: "f",
        type: "stringSlice",
        complete: "file",
        description: "Files and directories to check, - for standard input; may be repeated",
      }],
      run: runValidate,
    },
    withRemote(versionCommand()),
    completionCommand("meshctl"),
  ],
};

async function runValidate({ flags, io }: Invocation): Promise<number> {
  warnOrchestratorFlags(flags, io);
  return await validate({
    files: flags.list("filename"),
    namespace: flags.string("namespace"),
    meshNamespace: flags.string("meshNamespace"),
  }, io);
}
