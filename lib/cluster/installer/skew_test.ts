import assert from "node:assert/strict";
import { skewOf } from "./skew.ts";

const KINDS: readonly (readonly [installed: string, wanted: string, kind: string])[] = [
  ["1.2.3", "1.2.3", "same"],
  ["1.2.3", "v1.2.3", "same"],
  ["1.2.3", "1.2.4", "newer"],
  ["1.2.9", "1.3.0", "newer"],
  ["1.2.9", "1.4.0", "far"],
  ["1.9.0", "2.0.0", "far"],
  ["1.3.0", "1.2.9", "older"],
  ["1.3.0", "1.3.0-rc.1", "older"],
  ["1.3.0-rc.2", "1.3.0-rc.10", "newer"],
  ["1.3.0-alpha", "1.3.0-1", "older"],
  ["", "1.3.0", "unknown"],
  ["latest", "1.3.0", "unknown"],
];

for (const [installed, wanted, kind] of KINDS) {
  Deno.test(`version ${wanted} over ${installed || "none"} is ${kind}`, () => {
    const { kind: found, text } = skewOf(installed, wanted, "revision a");
    assert.equal(found, kind);
    assert.equal(text === "", kind === "same" || kind === "newer");
  });
}
