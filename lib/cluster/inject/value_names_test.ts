/** Names of values: an unknown one and one without effect is named, one that acts is not. */
import assert from "node:assert/strict";
import { DEFAULT_TEMPLATES, DEFAULT_VALUES } from "./defaults/mod.ts";
import { FUNCTION_NAMES } from "./functions.ts";
import { parseInjectionConfig } from "./mod.ts";
import { parseTemplate, valuesRead } from "../../kit/template/mod.ts";
import { INEFFECTIVE_VALUES } from "./value_names.ts";

function warningsOf(values: object, templates: Readonly<Record<string, string>> = {}): string[] {
  const config = JSON.stringify({ templates });
  return [...parseInjectionConfig({ config, values: JSON.stringify(values) }).warnings];
}

/** Names at the beginning of warnings. */
function named(values: object, templates: Readonly<Record<string, string>> = {}): string[] {
  return warningsOf(values, templates).map((text) => text.slice(0, text.indexOf(":")));
}

/** The values with one at a path. */
function valuesAt(path: string, value: unknown): object {
  return path.split(".").reverse().reduce<unknown>(
    (below, name) => ({ [name]: below }),
    value,
  ) as object;
}

Deno.test("an unknown value is named with its path, at every depth, and its parts are not", () => {
  assert.deepEqual(named({ glob: { hub: "x" } }), ["values.glob"]);
  assert.deepEqual(named({ global: { hbu: "x", hub: "y" } }), ["values.global.hbu"]);
  assert.deepEqual(named({ global: { proxy: { loglevel: "debug" } } }), [
    "values.global.proxy.loglevel",
  ]);
  assert.deepEqual(named({ global: { proxy: { own: { a: 1, b: 2 } } } }), [
    "values.global.proxy.own",
  ]);
  assert.match(warningsOf({ a: 1 })[0]!, /no template reads it; check its spelling/);
});

Deno.test("the built-in values and maps that take any name are not named", () => {
  assert.deepEqual(warningsOf(DEFAULT_VALUES), []);
  const free = { limits: { "example.com/gpu": "1" }, claims: [] };
  const securityContext = { runAsUser: 7 };
  assert.deepEqual(
    warningsOf({ global: { proxy: { resources: free } }, gateways: { securityContext } }),
    [],
  );
  assert.deepEqual(warningsOf({ global: { trustDomain: "own.example" } }), []);
});

Deno.test("a value where a map belongs is named", () => {
  assert.match(warningsOf({ revision: {} }).join(), /^$/);
  assert.match(warningsOf({ pilot: 7 })[0]!, /^values\.pilot: it is not a map/);
});

for (const path of Object.keys(INEFFECTIVE_VALUES)) {
  Deno.test(`value ${path} does nothing and is named with the reason, unless it is empty`, () => {
    const [warning, ...more] = warningsOf(valuesAt(path, "own"));
    assert.ok(warning?.startsWith(`values.${path}: it does nothing here; `));
    assert.deepEqual(more, []);
    for (const empty of ["", false, null, {}, []]) {
      assert.deepEqual(warningsOf(valuesAt(path, empty)), []);
    }
  });
}

Deno.test("a value that a template of the user reads is known, and so is all below a map that it passes on", () => {
  const template = (text: string) => ({ own: `metadata: {labels: {a: "${text}"}}` });
  const values = { team: { name: "a", size: 1 } };
  assert.deepEqual(named(values, template("{{ .Values.team.name }}")), ["values.team.size"]);
  assert.deepEqual(named(values, template("{{ $.Values.team | toJson }}")), []);
  assert.deepEqual(named(values, template("{{ index .Values `team` `name` }}")), [
    "values.team.size",
  ]);
  assert.deepEqual(named(values, template("{{ range .Values.team }}x{{ end }}")), []);
  assert.deepEqual(named(values, template("{{ .ObjectMeta.Name }}")), ["values.team"]);
});

Deno.test("each value that a built-in template reads is known", () => {
  for (const [name, text] of Object.entries(DEFAULT_TEMPLATES)) {
    for (const path of valuesRead(parseTemplate(name, text, FUNCTION_NAMES))) {
      const warnings = path.length === 0 ? [] : warningsOf(valuesAt(path.join("."), {}));
      assert.deepEqual(warnings.filter((one) => one.includes("no template reads it")), []);
    }
  }
});

Deno.test("many unknown values are counted", () => {
  const values = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`own${n}`, 1]));
  const warnings = warningsOf(values);
  assert.equal(warnings.length, 41);
  assert.equal(warnings.at(-1), "values: 60 more values do nothing");
});
