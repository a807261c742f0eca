/**
 * Results of tests as text and as JUnit XML.
 *
 * @module
 */
import { printable } from "../../kit/base/mod.ts";
import type { TestResult } from "./request_tests.ts";

/** One line for each test, with its differences below it, and a summary. */
export function testText(results: readonly TestResult[]): string {
  const lines = results.flatMap(({ test, faults, doubts }) => [
    `${faults.length > 0 ? "FAIL" : doubts.length > 0 ? "?   " : "ok  "} ${test.name}`,
    ...[...faults, ...doubts].map((one) => `     ${one}`),
  ]);
  const failed = results.filter(({ faults }) => faults.length > 0).length;
  const unknown = results.filter(({ doubts }) => doubts.length > 0).length;
  const passed = results.length - failed - unknown;
  return [
    ...lines,
    `${passed} passed, ${failed} failed${unknown === 0 ? "" : `, ${unknown} unknown`}`,
  ]
    .map((line) => `${printable(line)}\n`).join("");
}

/**
 * The results as JUnit XML, one suite for each file. A test whose result is not known is an error, not
 * a failure.
 */
export function junitXml(results: readonly TestResult[]): string {
  const suites = [...Map.groupBy(results, ({ test }) => test.file)].map(([file, list]) => {
    const failures = list.filter(({ faults }) => faults.length > 0).length;
    const errors = list.filter(({ doubts }) => doubts.length > 0).length;
    const cases = list.map(({ test, faults, doubts }) => {
      const head = `    <testcase classname=${quoted(file)} name=${quoted(test.name)}`;
      if (faults.length + doubts.length === 0) return `${head}/>\n`;
      const message = quoted([...faults, ...doubts].join("; "));
      const element = faults.length > 0 ? "failure" : "error";
      return `${head}>\n      <${element} message=${message}/>\n    </testcase>\n`;
    });
    const counts = `tests="${list.length}" failures="${failures}" errors="${errors}"`;
    return `  <testsuite name=${quoted(file)} ${counts}>\n` +
      `${cases.join("")}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join("")}</testsuites>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** An attribute value. Control characters, which XML 1.0 forbids, are escaped as text. */
function quoted(text: string): string {
  return `"${printable(text).replace(/[&<>"]/g, (one) => ENTITIES[one] ?? one)}"`;
}
