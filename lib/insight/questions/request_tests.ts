import { MeshError, messageOf } from "../../kit/base/mod.ts";
import {
  dataError,
  EXIT_FAILURE,
  EXIT_UNKNOWN,
  type Io,
  readInput,
  unansweredError,
} from "../../kit/cli/mod.ts";
import type { RequestTest, TestResult } from "../offline/mod.ts";
import type { DebugPages } from "../daemon_client/mod.ts";
import { explanationOf } from "./asked.ts";
import type { MeshSource } from "./explain.ts";
import { openMesh } from "./offline_files.ts";

/** Options of a run. */
export interface TestOptions {
  /** Files and directories of tests. */
  readonly tests: readonly string[];
  readonly output: string;
}

/** Runs tests; the status is 1 when one fails, else 2 when the result of one is not known. */
export async function testRequests(
  options: TestOptions,
  source: MeshSource,
  io: Io,
): Promise<number> {
  const { junitXml, readRequestTests, testText } = await import("../offline/mod.ts");
  const { inputFiles } = await import("../mesh_input/mod.ts");
  const tests: RequestTest[] = [];
  for (const file of await inputFiles(options.tests, false)) {
    tests.push(...readRequestTests(await readInput(file, io), file));
  }
  if (tests.length === 0) throw dataError("the files have no tests");
  const results = await answered(() => resultsOf(tests, source, io));
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
  if (results.some(({ faults }) => faults.length > 0)) return EXIT_FAILURE;
  return results.some(({ doubts }) => doubts.length > 0) ? EXIT_UNKNOWN : 0;
}

async function resultsOf(
  tests: readonly RequestTest[],
  { files, pages }: MeshSource,
  io: Io,
): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  if (pages === undefined) {
    const { runRequestTest } = await import("../offline/mod.ts");
    const mesh = await openMesh(files, io);
    for (const test of tests) results.push(await runRequestTest(mesh, test));
    return results;
  }
  for (const test of tests) results.push(await askedTest(pages, test));
  return results;
}

/** Asks a daemon the request of a test; a daemon that does not know its proxy fails the test. */
async function askedTest(pages: DebugPages, test: RequestTest): Promise<TestResult> {
  const { judgeRequestTest } = await import("../offline/mod.ts");
  try {
    return judgeRequestTest(test, await explanationOf(pages, test.question));
  } catch (error) {
    if (!(error instanceof MeshError) || error.code !== "daemon-not-found") throw error;
    return { test, faults: [messageOf(error)], doubts: [] };
  }
}

/** Failures leave the results unknown. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw unansweredError(error);
  }
}
