import assert from "node:assert/strict";
import { versionCondition } from "./versions.ts";

const CASES: readonly (readonly [version: string | undefined, supported: boolean])[] = [
  ["v1.6.3", true],
  ["v1.1.0", true],
  ["1.4.0", true],
  ["v1.0.0", false],
  ["v1.7.0", false],
  ["v2.1.0", false],
  ["v1.6.0-rc.1", false],
  ["latest", false],
  [undefined, false],
];

for (const [version, supported] of CASES) {
  Deno.test(`definitions of version ${version} are ${supported ? "" : "not "}supported`, () => {
    const { type, status, reason, message, observedGeneration } = versionCondition(3, version);
    assert.deepEqual([type, status, reason, observedGeneration], [
      "SupportedVersion",
      supported ? "True" : "False",
      supported ? "SupportedVersion" : "UnsupportedVersion",
      3,
    ]);
    assert.ok(message.includes(version ?? "no annotation"), message);
  });
}
