/**
 * `scripts/agent_metrics_tests.json` is the table of the agent's metrics that the interface names, and
 * of the tests that raise them.
 */
import assert from "node:assert/strict";
import "../cmd/pilot-agent/proxy.ts";
import { expose } from "../lib/kit/metrics/mod.ts";
import { fromFileUrl, join } from "./paths.ts";
import table from "./agent_metrics_tests.json" with { type: "json" };

const ROOT = fromFileUrl(new URL("..", import.meta.url));
const TESTS: Readonly<Record<string, string>> = table;
const SPEC = Deno.env.get("MESH_SPEC_DIR") ??
  new URL("../../shared/spec", import.meta.url).pathname;
const DOCUMENT = await Deno.readTextFile(`${SPEC}/2-node-agent.md`).catch(() => undefined);

/** The names of the table "Exported metrics" of the interface document. */
function documented(text: string): string[] {
  const section = text.split("### Exported metrics")[1]?.split("\n## ")[0] ?? "";
  return section.split("\n").filter((line) => /^\| [a-z]/.test(line))
    .flatMap((line) => line.split("|")[1]!.split(",").map((name) => name.trim()));
}

Deno.test({
  name: "each documented metric of the agent has a test, and no other name has a row" +
    (DOCUMENT === undefined ? " [no description in MESH_SPEC_DIR]" : ""),
  ignore: DOCUMENT === undefined,
  fn() {
    assert.deepEqual(Object.keys(TESTS), documented(DOCUMENT ?? "").sort());
  },
});

Deno.test("the test of each metric exists, and mentions the metric", async () => {
  const faults: string[] = [];
  for (const [name, test] of Object.entries(TESTS)) {
    const text = await Deno.readTextFile(join(ROOT, test)).catch(() => undefined);
    if (text === undefined) faults.push(`${name}: ${test} is missing`);
    else if (!mentions(text, name)) faults.push(`${name}: ${test} does not mention it`);
  }
  assert.deepEqual(faults, []);
});

/** Reports if a test has the name, as a whole or made of parts such as `pilot_xds_${short}_reject`. */
function mentions(text: string, name: string): boolean {
  const pattern = name.replace(/_([celr]ds)_reject$/, "_(?:$1|\\$\\{short\\})_reject");
  return new RegExp(`(?:\\b|mesh_agent_)${pattern}(?:_count)?\\b`).test(text);
}

Deno.test("each metric is on the agent's page", async () => {
  const { body } = await expose();
  const families = new Set([...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  // The expiry of certificates is there from the first certificate on; its test reads the page.
  const missing = Object.keys(TESTS).filter((name) => !families.has(name));
  assert.deepEqual(missing, ["cert_expiry_seconds"]);
});
