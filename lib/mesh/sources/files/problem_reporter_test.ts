import assert from "node:assert/strict";
import { expose } from "../../../kit/metrics/mod.ts";
import type { Logger } from "../../../kit/log/mod.ts";
import { countRejected, createProblemReporter } from "./problem_reporter.ts";

function recorder(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const write = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  const logger = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    fatal: write("fatal"),
    enabled: () => true,
  };
  return { logger, lines };
}

const PROBLEM = {
  file: "a.yaml",
  line: 3,
  column: 5,
  path: "spec.x",
  code: "unknown-field",
  message: 'unknown field "x"',
  remedy: "Remove it.",
  object: { kind: "Gateway", namespace: "n", name: "g" },
  lastGoodServes: false,
};

Deno.test("reporter: a problem has the time of its first report, also after it moved", () => {
  let now = 1_000;
  const reporter = createProblemReporter(recorder().logger, () => now);
  assert.equal(reporter.dated([PROBLEM])[0]!.since, undefined);
  reporter.report([PROBLEM], []);
  now = 2_000;
  const moved = { ...PROBLEM, line: 9 };
  reporter.report([moved], []);
  assert.deepEqual(reporter.dated([moved]), [{ ...moved, since: 1_000 }]);
  reporter.report([], []);
  reporter.report([moved], []);
  assert.equal(reporter.dated([moved])[0]!.since, 2_000);
});

Deno.test("reporter: a problem is logged when it appears, and again when it comes back", () => {
  const { logger, lines } = recorder();
  const reporter = createProblemReporter(logger);
  const line = 'error rejected: a.yaml:3:5 (Gateway n/g): spec.x: unknown field "x". Remove it.';
  reporter.report([PROBLEM], []);
  assert.deepEqual(lines.splice(0), [line]);
  reporter.report([PROBLEM], []);
  reporter.report([{ ...PROBLEM, line: 9 }], [PROBLEM]);
  assert.deepEqual(lines.splice(0), [line.replace("error rejected", "warn warning")]);
  reporter.report([], [PROBLEM]);
  reporter.report([{ ...PROBLEM, lastGoodServes: true }], [PROBLEM]);
  assert.deepEqual(lines.splice(0), [
    "info repaired: a.yaml has no problem any more",
    `${line} The last good version keeps serving.`,
  ]);
});

Deno.test("reporter: a flood is cut off, control characters are escaped", () => {
  const { logger, lines } = recorder();
  const flood = Array.from({ length: 250 }, (_, i) => ({ ...PROBLEM, file: `${i}\x1b[31m\n` }));
  createProblemReporter(logger).report(flood, []);
  assert.equal(lines.length, 101);
  assert.equal(lines.at(-1), "error rejected: 150 more");
  assert.ok(lines.every((line) => !line.includes("\x1b") && !line.includes("\n")));
});

Deno.test("reporter: metrics count rejections, and documents that are rejected now", async () => {
  const value = async (name: string) => {
    const { body } = await expose();
    return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, "m").exec(body)?.[1]);
  };
  const before = await value("pilot_total_rejected_configs") || 0;
  countRejected(2, 3);
  countRejected(0, 1);
  assert.equal(await value("pilot_total_rejected_configs"), before + 2);
  assert.equal(await value("pilot_config_documents_rejected"), 1);
});
