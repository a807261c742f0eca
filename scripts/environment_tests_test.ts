/**
 * `scripts/environment_tests.json` is the table of effective variables and their tests: a variable is
 * effective if a test flips it, or the setting that it is read into, and sees the difference.
 */
import assert from "node:assert/strict";
import { declaredEnv } from "../lib/env/mod.ts";
import { programSources } from "./environment.ts";
import { fromFileUrl, join } from "./paths.ts";
import table from "./environment_tests.json" with { type: "json" };

/** The test of one variable. */
interface Row {
  /** Path relative to the root. */
  readonly test: string;
  /** The setting that the test flips; absent: the variable itself. */
  readonly setting?: string;
}

const ROOT = fromFileUrl(new URL("..", import.meta.url));
const ROWS: Readonly<Record<string, Row>> = table;
const EFFECTIVE = declaredEnv().filter(({ state }) => state.kind === "effective")
  .map(({ name }) => name).sort();

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(join(ROOT, path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function mentions(text: string, word: string): boolean {
  return new RegExp(`\\b${word}\\b`).test(text);
}

Deno.test("each effective variable has a test, and no other variable has a row", () => {
  assert.deepEqual(EFFECTIVE.filter((name) => ROWS[name] === undefined), [], "without a test");
  assert.deepEqual(
    Object.keys(ROWS).filter((name) => !EFFECTIVE.includes(name)),
    [],
    "no variable",
  );
  assert.deepEqual(Object.keys(ROWS), Object.keys(ROWS).sort(), "sorted");
});

Deno.test("the test of each variable exists, and mentions the variable or its setting", async () => {
  const faults: string[] = [];
  for (const [name, { test, setting }] of Object.entries(ROWS)) {
    const text = await textOf(test);
    if (text === undefined) faults.push(`${name}: ${test} is missing`);
    else if (!mentions(text, setting ?? name)) {
      faults.push(`${name}: ${test} does not mention ${setting ?? name}`);
    }
  }
  assert.deepEqual(faults, []);
});

Deno.test("each setting of the table is read from its variable", async () => {
  const sources = [...(await programSources()).values()];
  const faults = Object.entries(ROWS).flatMap(([name, { setting }]) => {
    if (setting === undefined || sources.some((text) => reads(text, name, setting))) return [];
    return [`${name} is not read into ${setting}`];
  });
  assert.deepEqual(faults, []);
});

/** Reports if a source reads a variable, or the constant that holds it, into a property. */
function reads(text: string, variable: string, setting: string): boolean {
  const flat = text.replaceAll(/\s+/g, " ");
  const constant = String.raw`(?:\w+\.)?\w*`;
  const suffix = variable.replace(/^(MESH|PILOT)_/, "");
  return flat.includes(`${setting}: declareEnv({ name: "${variable}"`) ||
    new RegExp(`\\b${setting}: ${constant}${suffix}\\.get\\(\\)`).test(flat);
}
