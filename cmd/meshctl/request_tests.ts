import { dataError, EXIT_FINDINGS, type Io, readInput } from "../../lib/cli/mod.ts";
import { junitXml, readRequestTests, runRequestTest, testText } from "../../lib/offline/mod.ts";
import { inputFiles } from "./input_files.ts";
import { type MeshFiles, openMesh } from "./offline_files.ts";

/** Options of a run. */
export interface TestOptions {
  /** Files and directories of tests. */
  readonly tests: readonly string[];
  readonly mesh: MeshFiles;
  readonly output: string;
}

/** Runs tests; the status is 79 when one fails. */
export async function testRequests(options: TestOptions, io: Io): Promise<number> {
  const tests = [];
  for (const file of await inputFiles(options.tests, false)) {
    tests.push(...readRequestTests(await readInput(file, io), file));
  }
  if (tests.length === 0) throw dataError("the files have no tests");
  const mesh = await openMesh(options.mesh, io);
  const results = tests.map((test) => runRequestTest(mesh, test));
  switch (options.output) {
    case "junit":
      io.out(junitXml(results));
      break;
    case "json":
      io.out(`${JSON.stringify(results, null, 2)}\n`);
      break;
    default:
      io.out(testText(results));
  }
  return results.every(({ faults }) => faults.length === 0) ? 0 : EXIT_FINDINGS;
}
