/** The support table, the changelog and what the project runs with say the same. */
import assert from "node:assert/strict";
import { ORCHESTRATORS } from "../../lib/insight/precheck/mod.ts";
import { buildInfo } from "../../lib/kit/base/mod.ts";
import { join } from "../paths.ts";
import { ENVOY_VERSION, OLDEST_ENVOY_VERSION } from "../tools.ts";
import { ROOT } from "./context.ts";
import { PARTS } from "./release.ts";

const read = (name: string): Promise<string> => Deno.readTextFile(join(ROOT, name));
const page = await read("docs/releases.md");

/** Rows of the support table: what, versions, state. */
const ROWS = [...page.matchAll(/^\| (orchestrator|Envoy|Deno) +\| ([^|]+?) +\| ([^|]+?) +\|$/gm)]
  .map(([, what, versions, state]) => ({ what, versions: versions!, state: state! }));

const minor = (version: string): string => version.split(".").slice(0, 2).join(".");

/** Versions of rows that begin with `tested`. */
const tested = (of: string): string[] =>
  ROWS.filter(({ what, state }) => what === of && /^tested\b/.test(state))
    .map(({ versions }) => versions);

Deno.test("support: tested versions are those that tests run with", async () => {
  const kubernetes = /k8s\.io\/kubernetes v(\S+)/.exec(
    await read("scripts/cluster/programs/go.mod"),
  );
  assert.deepEqual(tested("orchestrator"), [minor(kubernetes![1]!)]);
  assert.deepEqual(tested("Envoy"), [ENVOY_VERSION, OLDEST_ENVOY_VERSION].map(minor));
  assert.deepEqual(tested("Deno"), [Deno.version.deno]);
});

Deno.test("support: precheck has the table's versions of the orchestrator", () => {
  const { oldest } = ORCHESTRATORS;
  assert.deepEqual(tested("orchestrator"), ORCHESTRATORS.tested.map((one) => `1.${one}`));
  const versions = ROWS.filter(({ what }) => what === "orchestrator").map((row) => row.versions);
  const newest = ORCHESTRATORS.tested.at(-1)!;
  assert.ok(versions.includes(`1.${oldest} to 1.${newest - 1}`), String(versions));
  assert.ok(versions.includes(`1.${oldest - 1} and older`));
  assert.ok(versions.includes(`1.${newest + 1} and newer`));
});

Deno.test("releases: the page has each part", () => {
  for (const part of PARTS) assert.match(page, new RegExp(`^\\| \`${part}\` `, "m"));
});

/** Kinds of changes that the format has. */
const KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];

Deno.test("changelog: the form of Keep a Changelog, with a section for this version", async () => {
  const text = await read("CHANGELOG.md");
  const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title!);
  assert.equal(sections[0], "[Unreleased]");
  for (const title of sections.slice(1)) {
    assert.match(title, /^\[\d+\.\d+\.\d+[^\]]*\] - \d{4}-\d\d-\d\d$/);
  }
  for (const [, kind] of text.matchAll(/^### (.+)$/gm)) {
    assert.ok(KINDS.includes(kind!), `section ${kind}`);
  }
  assert.ok(
    text.includes(`[${buildInfo.version}]`) || text.includes(`Version ${buildInfo.version} `),
  );
});
