/**
 * Tests translation and simulation of each feature's documents with golden files, one folder per
 * feature. `UPDATE_GOLDENS=1` writes them; unchanged results leave the files as they are.
 *
 * @module
 */
import assert from "node:assert/strict";
import { follow, renderVerdict, resourcesOf } from "./mod.ts";
import { assertGoldenText, assertGoldenYaml } from "../../../tests/support/golden.ts";
import {
  madeBy,
  readSuites,
  type Suite,
  SUITE_TYPES,
  translateSuite,
  type Views,
} from "../../../tests/support/suites.ts";

const SUITES = readSuites();

for (const suite of SUITES) {
  Deno.test(`suite ${suite.name}: ${suite.about}`, async () => {
    const views = translateSuite(suite);
    for (const type of suite.types) {
      const made = madeBy(suite, views, type);
      assert.ok(Object.values(made).some((all) => all.length > 0), `no ${type} come of it`);
      await assertGoldenYaml(new URL(`${type}.yaml`, suite.folder), made);
    }
    if (Object.keys(suite.calls).length > 0) {
      await assertGoldenText(new URL("calls.txt", suite.folder), callsText(suite, views));
    }
  });
}

function callsText({ calls }: Suite, views: ReadonlyMap<string, Views>): string {
  return Object.entries(calls).map(([name, { proxy, ...call }]) => {
    const served = views.get(proxy);
    assert.ok(served !== undefined, `${name}: there is no proxy ${proxy}`);
    return `# ${name}\n${renderVerdict(follow(resourcesOf(served), call))}`;
  }).join("\n");
}

Deno.test("suites: no file without a test", () => {
  for (const { name, folder, types, calls } of SUITES) {
    const wanted = [
      "in.yaml",
      "suite.yaml",
      ...types.map((type) => `${type}.yaml`),
      ...(Object.keys(calls).length > 0 ? ["calls.txt"] : []),
    ];
    const there = [...Deno.readDirSync(folder)].map((entry) => entry.name);
    assert.deepEqual(there.sort(), wanted.sort(), name);
    for (const type of types) assert.ok(type in SUITE_TYPES, `${name}: ${type}`);
  }
});
