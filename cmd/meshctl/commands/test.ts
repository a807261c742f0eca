import { type CommandSpec, usageError } from "../../../lib/kit/cli/mod.ts";
import { flag, outputFlag } from "./flags.ts";
import { DAEMON_FLAGS, FILE_FLAGS } from "./mesh_flags.ts";

export const test: CommandSpec = {
  name: "test",
  summary: "Test routing and access",
  description:
    "Compares the outcomes of the requests in test files with those expected: in the configuration\n" +
    "of --config-dir, without daemon and proxies, or as the running daemon explains them. Nothing\n" +
    "is sent. The status is 1 when a test fails, else 2 when the result of one is not known, and 65 for\n" +
    "a file that is no test.",
  examples: [
    "meshctl test -f requests.yaml",
    "meshctl test --config-dir config/ -f requests.yaml",
    "meshctl test --config-dir config/ -f tests/ -o junit > report.xml",
  ],
  flags: [
    flag("filename", "stringSlice", "Files and directories with tests; may be repeated", {
      short: "f",
      complete: "file",
    }),
    ...FILE_FLAGS,
    ...DAEMON_FLAGS,
    outputFlag(["text", "junit", "json"], "text"),
  ],
  run: async (call) => {
    const { testRequests, withMeshSource } = await import("../../../lib/insight/questions/mod.ts");
    const files = call.flags.list("filename");
    if (files.length === 0) throw usageError("no tests are named", "Give -f FILE.");
    const options = { tests: files, output: call.flags.string("output") };
    return await withMeshSource(call, (source) => testRequests(options, source, call.io));
  },
};
