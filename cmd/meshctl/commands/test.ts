import { type CommandSpec, usageError } from "../../../lib/cli/mod.ts";
import { flag, outputFlag } from "./flags.ts";
import { FILE_FLAGS, meshFiles } from "./mesh_flags.ts";

/** `test`. */
export const test: CommandSpec = {
  name: "test",
  summary: "Test routing and access of configuration files",
  description:
    "Asks requests of test files and compares their outcomes with those expected, without\n" +
    "daemon and proxies. The status is 79 when a test fails, and 65 for a file that is no test.",
  examples: [
    "meshctl test --config-dir config/ -f requests.yaml",
    "meshctl test --config-dir config/ -f tests/ -o junit > report.xml",
  ],
  flags: [
    flag("filename", "stringSlice", "Files and directories with tests; may be repeated", {
      short: "f",
      complete: "file",
    }),
    ...FILE_FLAGS,
    outputFlag(["text", "junit", "json"], "text"),
  ],
  run: async (call) => {
    const { testRequests } = await import("../request_tests.ts");
    const files = call.flags.list("filename");
    if (files.length === 0) throw usageError("no tests are named", "Give -f FILE.");
    const options = { tests: files, mesh: meshFiles(call), output: call.flags.string("output") };
    return await testRequests(options, call.io);
  },
};
