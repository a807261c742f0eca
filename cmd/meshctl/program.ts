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
        "Checks files of mesh configuration as one set, as the daemon would read them.\n" +
        "What the daemon rejects is an error (status 1); likely mistakes, such as routes to hosts\n" +
        "that the files do not define, are warnings. Objects of other kinds are ignored;\n" +
        "Deployments and Services get hints.",
      examples: [
        "meshctl validate samples/",
        "meshctl validate -f samples/routes.yaml -o json",
        "meshctl validate -f config/ -f extra.yaml",
        "generate | meshctl validate -f -",
      ],
      args: [{
        name: "file",
        description: "Files and directories, as with --filename",
        optional: true,
        variadic: true,
        complete: "file",
      }],
      flags: [
        {
          name: "filename",
          short: "f",
          type: "stringSlice",
          complete: "file",
          description: "Files and directories to check, - for standard input; may be repeated",
        },
        {
          name: "output",
          short: "o",
          type: "string",
          choices: ["json"],
          description:
            "Output format; json: an array with code, level, file and line of each finding",
        },
      ],
      run: runValidate,
    },
    withRemote(versionCommand()),
    completionCommand("meshctl"),
  ],
};

async function runValidate({ flags, args, io }: Invocation): Promise<number> {
  warnOrchestratorFlags(flags, io);
  return await validate({
    files: [...flags.list("filename"), ...args],
    namespace: flags.string("namespace"),
    meshNamespace: flags.string("meshNamespace"),
    output: flags.string("output") === "json" ? "json" : "",
  }, io);
}
