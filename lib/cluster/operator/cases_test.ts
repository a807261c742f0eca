/**
 * The cases of `testdata/cases`: documents in `*.yaml`, arguments in `args`, one a line, and the plan in
 * `expected.yaml`. `UPDATE_GOLDENS=1` writes the last.
 */
import assert from "node:assert/strict";
import { toYaml } from "../../kit/text/mod.ts";
import { planned, problemsOf } from "../../../tests/support/operator.ts";
import { problemText } from "./problems.ts";

const CASES = new URL("testdata/cases/", import.meta.url);

function textOf(file: URL): string | undefined {
  try {
    return Deno.readTextFileSync(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function planText(name: string): string {
  const folder = new URL(`${name}/`, CASES);
  const files = [...Deno.readDirSync(folder)].map((entry) => entry.name)
    .filter((file) => file.endsWith(".yaml") && file !== "expected.yaml").sort()
    .map((file) => ({ name: file, text: Deno.readTextFileSync(new URL(file, folder)) }));
  const args = (textOf(new URL("args", folder)) ?? "").split("\n").filter((line) => line !== "");
  const valuesOf = (flag: string) =>
    args.filter((line) => line.startsWith(`${flag} `)).map((line) => line.slice(flag.length + 1));
  const plan = planned({
    files,
    set: valuesOf("--set"),
    revision: valuesOf("--revision")[0],
    isForced: args.includes("--force"),
  });
  return toYaml({
    problems: problemsOf(plan),
    warnings: plan.warnings.map((one) => `${problemText(one)}. ${one.remedy}`),
    components: plan.components.map(({ name, namespace, values }) => ({ name, namespace, values })),
  });
}

for (const { name } of [...Deno.readDirSync(CASES)].sort((a, b) => a.name < b.name ? -1 : 1)) {
  Deno.test(`case ${name}`, () => {
    const file = new URL(`${name}/expected.yaml`, CASES);
    const text = planText(name);
    if (Deno.env.get("UPDATE_GOLDENS") === "1") Deno.writeTextFileSync(file, text);
    assert.equal(text, textOf(file));
  });
}
