import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { dataError, EXIT_FINDINGS, type Io, readInput } from "../../kit/cli/mod.ts";
import {
  judgeRequestTest,
  junitXml,
  readRequestTests,
  type RequestTest,
  runRequestTest,
  type TestResult,
  testText,
} from "../offline/mod.ts";
import type { ReadPage } from "../daemon_client/mod.ts";
import { explanationOf, type MeshSource } from "./explain.ts";
import { inputFiles } from "../mesh_input/mod.ts";
import { openMesh } from "./offline_files.ts";

/** Options of a run. */
export interface TestOptions {
  /** Files and directories of tests. */
  readonly tests: readonly string[];
  readonly output: string;
}

/** Runs tests; the status is 79 when one fails. */
export async function testRequests(
  options: TestOptions,
  source: MeshSource,
  io: Io,
): Promise<number> {
  const tests: RequestTest[] = [];
  for (const file of await inputFiles(options.tests, false)) {
    tests.push(...readRequestTests(await readInput(file, io), file));
  }
  if (tests.length === 0) throw dataError("the files have no tests");
  const results = await resultsOf(tests, source, io);
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

async function resultsOf(
  tests: readonly RequestTest[],
  { files, read }: MeshSource,
  io: Io,
): Promise<readonly TestResult[]> {
  if (read === undefined) {
    const mesh = await openMesh(files, io);
    return tests.map((test) => runRequestTest(mesh, test));
  }
  const results: TestResult[] = [];
  for (const test of tests) results.push(await askedTest(read, test));
  return results;
}

/** Asks a daemon the request of a test; a daemon that does not know its proxy fails the test. */
async function askedTest(read: ReadPage, test: RequestTest): Promise<TestResult> {
  try {
    return judgeRequestTest(test, await explanationOf(read, test.question));
  } catch (error) {
    if (!(error instanceof MeshError) || error.code !== "daemon-not-found") throw error;
    return { test, faults: [messageOf(error)] };
  }
}
