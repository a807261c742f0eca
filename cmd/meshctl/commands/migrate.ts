import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { flag } from "./flags.ts";

/** `experimental migrate`. */
export const migrate: CommandSpec = {
  name: "migrate",
  summary: "Convert the manifests of an Istio mesh",
  description:
    "Gives manifests, mesh configurations and values of charts the names of Mesh: groups, kinds,\n" +
    "labels, annotations, fields, namespaces, hosts. Comments, order and layout stay. What has no\n" +
    "counterpart is an error with file, line, field and remedy (status 1; the rest is converted);\n" +
    "what may not act any more is a warning. Nothing is applied to a cluster.",
  examples: [
    "meshctl x migrate -f manifests/ -o converted/",
    "kubectl get virtualservices.networking.istio.io -A -o yaml | meshctl x migrate -f -",
  ],
  flags: [
    flag(
      "filename",
      "stringSlice",
      "Files, and directories with all below them; - for standard input; may be repeated",
      { short: "f", complete: "file" },
    ),
    flag("output", "string", "Directory for the results; default: standard output", {
      short: "o",
      complete: "directory",
    }),
    flag("in-place", "bool", "Change the files themselves"),
  ],
  run: async ({ flags, io }) => {
    const { migrate } = await import("../../../lib/insight/checks/mod.ts");
    return await migrate({
      files: flags.list("filename"),
      into: flags.string("output"),
      inPlace: flags.bool("in-place"),
    }, io);
  },
};
