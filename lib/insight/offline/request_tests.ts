/**
 * Tests of routing and access: requests with expected outcomes, in YAML.
 *
 * ```yaml
 * tests:
 * - name: the shop reads items
 *   from: front.web
 *   to: http://a.example/items/7
 *   method: GET
 *   headers: {x-user: jason}
 *   claims: {iss: issuer.test}
 *   expect: {outcome: allowed, subset: v2}
 * ```
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { parseQuestion, type QuestionFields } from "../explain/mod.ts";
import { doubtText, type Explanation, type Verdict, verdictOf } from "../verdict/mod.ts";
import { DEFAULT_YAML_LIMITS, readYaml } from "../../kit/text/mod.ts";
import type { OfflineMesh } from "./mesh.ts";

export interface RequestTest {
  readonly name: string;
  readonly file: string;
  readonly question: QuestionFields;
  readonly expect: Expectation;
}

/** The expected outcome; unset fields are not compared. */
export interface Expectation {
  readonly outcome?: string;
  readonly status?: number;
  /** Host, subset and port of the destination. */
  readonly host?: string;
  readonly subset?: string;
  readonly port?: number;
  /** The object that refuses: `AuthorizationPolicy/shop/readers`. */
  readonly by?: string;
}

export interface TestResult {
  readonly test: RequestTest;
  /** Differences as sentences; empty when the test passes, and when its result is not known. */
  readonly faults: readonly string[];
  /** Unknown facts, as sentences; empty when the test passes or fails. */
  readonly doubts: readonly string[];
}

const TEST_FIELDS = ["name", "from", "to", "method", "headers", "claims", "client", "expect"];
const EXPECT_FIELDS = ["outcome", "status", "host", "subset", "port", "by"];
const OUTCOMES = ["allowed", "denied", "split", "unknown"];

/**
 * Reads the tests of a file.
 *
 * @throws {MeshError} for a file that is none, with the place of the mistake
 */
export function readRequestTests(text: string, file: string): RequestTest[] {
  const tests: RequestTest[] = [];
  for (const { document, problem } of readYaml(text, DEFAULT_YAML_LIMITS)) {
    if (problem !== undefined) throw fault(`${file}:${problem.line}: ${problem.message}`);
    const list = isMap(document.value) ? document.value.tests : undefined;
    if (!Array.isArray(list)) throw fault(`${file}:${document.line}: there is no list "tests"`);
    for (const [at, one] of list.entries()) {
      const { line } = document.locate(["tests", at], "value");
      tests.push(testOf(one, { file, where: `${file}:${line}`, at }));
    }
  }
  return tests;
}

function testOf(
  one: unknown,
  { file, where, at }: { readonly file: string; readonly where: string; readonly at: number },
): RequestTest {
  if (!isMap(one)) throw fault(`${where}: a test is no map`);
  checkFields(one, TEST_FIELDS, where);
  const { name = `#${at}`, from, to, method, headers, claims, client } = one;
  if (typeof from !== "string") throw fault(`${where}: from is missing`);
  if (typeof to !== "string") throw fault(`${where}: to is missing`);
  const lines = Object.entries(isMap(headers) ? headers : {}).map(([key, value]) =>
    `${key}: ${value}`
  );
  const question: QuestionFields = {
    from,
    url: to,
    ...(typeof method === "string" ? { method } : {}),
    headers: lines,
    ...(isMap(claims) ? { claims: JSON.stringify(claims) } : {}),
    ...(typeof client === "string" ? { client } : {}),
  };
  const parsed = parseQuestion(question);
  if (typeof parsed === "string") throw fault(`${where}: ${parsed}`);
  return { name: String(name), file, question, expect: expectationOf(one.expect, where) };
}

function expectationOf(value: unknown, where: string): Expectation {
  const expect = typeof value === "string" ? { outcome: value } : value;
  if (!isMap(expect)) {
    throw fault(`${where}: expect is missing; write, for example, expect: allowed`);
  }
  checkFields(expect, EXPECT_FIELDS, where);
  const { outcome } = expect;
  if (outcome !== undefined && !OUTCOMES.includes(`${outcome}`)) {
    throw fault(`${where}: outcome "${outcome}" is none of ${OUTCOMES.join(", ")}`);
  }
  if (Object.keys(expect).length === 0) throw fault(`${where}: expect has no field`);
  return expect as Expectation;
}

function checkFields(map: Record<string, unknown>, known: readonly string[], where: string): void {
  const other = Object.keys(map).find((key) => !known.includes(key));
  if (other === undefined) return;
  throw fault(`${where}: unknown field "${other}"; fields are ${known.join(", ")}`);
}

/** The result of a test by what happens to its request. */
export function judgeRequestTest(test: RequestTest, explanation: Explanation): TestResult {
  const verdict = verdictOf(explanation);
  if (verdict.outcome === "unknown" && test.expect.outcome !== "unknown") {
    return { test, faults: [], doubts: verdict.doubts.map(doubtText) };
  }
  return { test, faults: faultsOf(verdict, test.expect), doubts: [] };
}

export async function runRequestTest(mesh: OfflineMesh, test: RequestTest): Promise<TestResult> {
  try {
    return judgeRequestTest(test, await mesh.askDeciding(test.question));
  } catch (error) {
    return { test, faults: [messageOf(error)], doubts: [] };
  }
}

function faultsOf(
  verdict: Verdict,
  { outcome, status, host, subset, port, by }: Expectation,
): string[] {
  const name = outcomeName(verdict);
  const found = `${name} (${verdict.text})`;
  const destinations = verdict.clusters.map((cluster) => cluster.split("|"));
  const goes = (at: number, wanted: unknown) =>
    wanted === undefined ||
    destinations.length > 0 && destinations.every((one) => one[at] === String(wanted));
  return [
    ...(outcome === undefined || outcome === name ? [] : [`${outcome} expected, found ${found}`]),
    ...(status === undefined || verdict.statuses.includes(status)
      ? []
      : [`status ${status} expected, found ${verdict.statuses.join(", ") || "none"}: ${found}`]),
    ...([["host", 3, host], ["subset", 2, subset], ["port", 1, port]] as const).flatMap(
      ([name, at, wanted]) =>
        goes(at, wanted) ? [] : [
          `${name} ${wanted} expected, found ${verdict.clusters.join(", ") || "no destination"}`,
        ],
    ),
    ...(by === undefined || verdict.by.includes(by)
      ? []
      : [`refusal by ${by} expected, found ${verdict.by.join(", ") || "none"}`]),
  ];
}

/** `split`: some of the calls are refused. */
function outcomeName({ outcome, deniedShare }: Verdict): string {
  return outcome === "denied" && deniedShare < 1 ? "split" : outcome;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fault(message: string): MeshError {
  return new MeshError("data", message, {
    remedy: "Write tests as described in docs/explain.md.",
  });
}
