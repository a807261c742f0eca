import assert from "node:assert/strict";
import { chartFrom, type JsonObject, renderChart } from "./mod.ts";

/** The message about values under a schema; empty if they are right. */
function fault(schema: JsonObject, values: JsonObject): string {
  const files = new Map([
    ["Chart.yaml", "apiVersion: v2\nname: demo\nversion: 1.0.0\n"],
    ["values.schema.json", JSON.stringify(schema)],
  ]);
  const capabilities = { orchVersion: "1.33.0", apiVersions: [] };
  try {
    renderChart(chartFrom("demo", files), {
      release: { name: "r", namespace: "n" },
      values,
      capabilities,
    });
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

Deno.test("values are checked against the schema of a chart", () => {
  const rows: [schema: JsonObject, right: JsonObject, wrong: JsonObject, expected: RegExp][] = [
    [
      { properties: { n: { type: "integer", minimum: 1 } } },
      { n: 1 },
      { n: 0 },
      /n must be at least 1, not 0/,
    ],
    [
      { properties: { n: { type: "integer" } } },
      { n: 2 },
      { n: "2" },
      /n must be integer, not string "2"/,
    ],
    [
      { properties: { n: { type: ["string", "null"] } } },
      { n: null },
      { n: 1.5 },
      /string or null, not number 1.5/,
    ],
    [
      { properties: { image: { type: "string" } }, additionalProperties: false },
      { image: "x" },
      { imag: "x" },
      /imag is not a value of this chart; did you mean image\?/,
    ],
    [
      {
        properties: {
          a: {
            patternProperties: { "^x": { type: "string" } },
            additionalProperties: { type: "number" },
          },
        },
      },
      { a: { x1: "s", y: 1 } },
      { a: { x1: 1, y: "s" } },
      /a.x1 must be string, not number 1; a.y must be number, not string "s"/,
    ],
    [
      { properties: { e: { enum: ["Always", "Never"] } } },
      { e: "Never" },
      { e: "Nevr" },
      /did you mean Never\?/,
    ],
    [{ required: ["a"] }, { a: 1 }, {}, /a is needed/],
    [
      { properties: { p: { pattern: "^[a-z]+$" } } },
      { p: "ab" },
      { p: "A" },
      /p is "A", which does not match/,
    ],
    [{ properties: { l: { items: { type: "string" }, maxItems: 2 } } }, { l: ["a"] }, {
      l: ["a", 1],
    }, /l\[1\] must be string/],
    [{ $defs: { s: { type: "string" } }, properties: { r: { $ref: "#/$defs/s" } } }, { r: "x" }, {
      r: 1,
    }, /r must be string/],
    [
      { properties: { v: { anyOf: [{ type: "string" }, { type: "integer" }] } } },
      { v: 1 },
      { v: true },
      /v must be string, not boolean true, or must be integer/,
    ],
    [
      { properties: { v: { oneOf: [{ minimum: 1 }, { minimum: 5 }] } } },
      { v: 2 },
      { v: 6 },
      /v fits 2 alternatives/,
    ],
    [{ properties: { v: { not: { const: "x" } } } }, { v: "y" }, { v: "x" }, /v must not be "x"/],
    [
      { if: { required: ["a"] }, then: { required: ["b"] } },
      { c: 1 },
      { a: 1 },
      /b is needed/,
    ],
    [
      { properties: { l: { uniqueItems: true } } },
      { l: [1, 2] },
      { l: [1, 1] },
      /l has an entry twice/,
    ],
  ];
  for (const [schema, right, wrong, expected] of rows) {
    assert.equal(fault(schema, right).replace(/^chart demo: /, ""), "", JSON.stringify(schema));
    assert.match(fault(schema, wrong), expected);
  }
});

Deno.test("keywords that are not checked are refused", () => {
  assert.match(fault({ unevaluatedItems: false }, {}), /keyword unevaluatedItems .* not supported/);
  assert.match(fault({ $ref: "#/nowhere" }, {}), /reference #\/nowhere leads nowhere/);
});
