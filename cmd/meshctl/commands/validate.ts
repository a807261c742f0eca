import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { flag, outputFlag } from "./flags.ts";

export const validate: CommandSpec = {
  name: "validate",
  aliases: ["v"],
  summary: "Validate mesh configuration and rules files",
  description: "Checks files of mesh configuration as one set, as the daemon would read them.\n" +
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
    flag(
      "filename",
      "stringSlice",
      "Files and directories to check, - for standard input; may be repeated",
      { short: "f", complete: "file" },
    ),
    {
      ...outputFlag(["json"]),
      description: "Output format; json: an array with code, level, file and line of each finding",
    },
  ],
  run: async ({ flags, args, io }) => {
    const { validate } = await import("../../../lib/insight/checks/mod.ts");
    const { warnOrchestratorFlags } = await import("../../../lib/insight/cluster_access/mod.ts");
    warnOrchestratorFlags(flags, io);
    return await validate({
      files: [...flags.list("filename"), ...args],
      namespace: flags.string("namespace"),
      meshNamespace: flags.string("meshNamespace"),
      output: flags.string("output") === "json" ? "json" : "",
    }, io);
  },
};
