/**
 * `scripts/environment_tests.json` is the table of effective variables and their tests: a variable is
 * effective if a test flips it and sees the difference.
 */
import assert from "node:assert/strict";
import { declaredEnv } from "../lib/kit/env/mod.ts";
import "./environment.ts";
import { fromFileUrl, join } from "./paths.ts";
import table from "./environment_tests.json" with { type: "json" };

/** The test of one variable. */
interface Row {
  /** Path relative to the root. */
  readonly test: string;
  /** Title of the test, as the file writes it: with `${…}` if it is one of several. */
  readonly case: string;
  /** The file of the test's fixture that sets the variable; default: that of the test. */
  readonly environment?: string;
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

/** Removes comments, so that a variable that is only spoken of does not count. */
function codeOf(text: string): string {
  return text.replaceAll(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, "");
}

/**
 * Reports if a text gives a value to a variable: as the member of an environment (`NAME: "x"`,
 * `[name]` with the name in a list), an assignment (`NAME=x`), or a parameter of that name.
 */
function sets(text: string, variable: string): boolean {
  const code = codeOf(text);
  return new RegExp(`\\b${variable}"?\\s*[:=]|[{(,]\\s*${variable}\\s*[,}]`).test(code) ||
    new RegExp(`["'\`]${variable}["'\`]`).test(code);
}

/** Reports if a text has a test of a title. */
function hasCase(text: string, title: string): boolean {
  return ['"', "'", "`"].some((quote) => text.includes(`${quote}${title}`)) ||
    text.includes(JSON.stringify(title).slice(1, -1));
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

Deno.test("the test of each variable exists, and sets the variable by its name", async () => {
  const faults: string[] = [];
  for (const [name, { test, case: title, environment = test }] of Object.entries(ROWS)) {
    const [text, fixture] = [await textOf(test), await textOf(environment)];
    if (text === undefined || fixture === undefined) faults.push(`${name}: ${test} is missing`);
    else {
      if (!hasCase(text, title)) faults.push(`${name}: ${test} has no test ${title}`);
      if (!sets(fixture, name)) faults.push(`${name}: ${environment} does not set it`);
    }
  }
  assert.deepEqual(faults, []);
});

Deno.test("a variable that is only spoken of is not set", () => {
  assert.ok(!sets("/** A: b */\nconst a = 1;\n // A: 1\n", "A"));
  assert.ok(sets('useEnvironment({ A: "1" })', "A"));
  assert.ok(sets('for (const name of ["A"]) useEnvironment({ [name]: "1" })', "A"));
  assert.ok(!sets('useEnvironment({ A_B: "1" })', "A"));
});
