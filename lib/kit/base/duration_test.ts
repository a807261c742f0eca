import assert from "node:assert/strict";
import fc from "fast-check";
import { MeshError } from "./error.ts";
import { formatDuration, MAX_DURATION_MS, parseDuration } from "./duration.ts";

const READS: [text: string, ms: number][] = [
  ["0", 0],
  ["+0", 0],
  ["0s", 0],
  ["1h30m", 5_400_000],
  ["100ms", 100],
  ["-1.5s", -1_500],
  [".5s", 500],
  ["1.s", 1_000],
  ["2us", 0.002],
  ["2µs", 0.002],
  ["2μs", 0.002],
  ["7ns", 0.000007],
  ["1m1m", 120_000],
  ["1.0000000000000000000000000000001s", 1_000],
  ["2562047h47m16.854775807s", MAX_DURATION_MS],
];

for (const [text, ms] of READS) {
  Deno.test(`parseDuration reads ${text}`, () => assert.equal(parseDuration(text), ms));
}

const REFUSED = ["", "-", "1", "s", ".s", "1d", "1h 30m", "1e3s", "--1s", "1s1", "2562047h47m17s"];

for (const text of REFUSED) {
  Deno.test(`parseDuration refuses ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseDuration(text), (error) => {
      assert(error instanceof MeshError);
      assert.equal(error.code, "duration-invalid");
      return error.message.includes(JSON.stringify(text));
    });
  });
}

const WRITES: [ms: number, text: string][] = [
  [0, "0s"],
  [5_400_000, "1h30m0s"],
  [90_000, "1m30s"],
  [1_500, "1.5s"],
  [100, "100ms"],
  [0.0015, "1.5µs"],
  [0.000007, "7ns"],
  [-60_000, "-1m0s"],
  [MAX_DURATION_MS, "2562047h47m16.854775807s"],
];

for (const [ms, text] of WRITES) {
  Deno.test(`formatDuration writes ${text}`, () => assert.equal(formatDuration(ms), text));
}

Deno.test("parseDuration reads the output of formatDuration", () => {
  fc.assert(fc.property(fc.integer({ min: -(2 ** 43), max: 2 ** 43 }), (ms) => {
    assert.equal(parseDuration(formatDuration(ms)), ms);
  }));
});
