import assert from "node:assert/strict";
import { type Telemetry, TelemetrySchema } from "#mesh/telemetry/v1alpha1/telemetry_pb.ts";
import { fromJson, type JsonObject } from "../../../kit/proto/mod.ts";
import { celFormat } from "./expression.ts";
import {
  type DefaultProviders,
  type Direction,
  logRules,
  metricRules,
  tracingRule,
} from "./merge_levels.ts";

const NONE: DefaultProviders = { logs: [], metrics: [], tracing: [] };

const DEFAULTS: DefaultProviders = { logs: ["all"], metrics: ["prometheus"], tracing: ["z"] };

const counts = (name: string): boolean => name === "prometheus";

function levels(...specs: JsonObject[]): Telemetry[] {
  return specs.map((spec) => fromJson(TelemetrySchema, spec));
}

const logging = (...accessLogging: JsonObject[]): JsonObject => ({ accessLogging });

const to = (...names: string[]): JsonObject => ({ providers: names.map((name) => ({ name })) });

Deno.test("access logs: levels over each other", () => {
  const filter = { filter: { expression: "true" } };
  const cases: [string, JsonObject[], Direction, (string | undefined)[][]][] = [
    ["defaults", [], "client", [["all", undefined]]],
    ["nothing said", [{}], "client", [["all", undefined]]],
    ["other providers", [logging(to("a", "b"))], "client", [["a", undefined], ["b", undefined]]],
    ["the most specific", [logging(to("a")), logging(to("b"))], "client", [["b", undefined]]],
    ["the other side", [logging({ ...to("a"), match: { mode: "SERVER" } })], "client", [[
      "all",
      undefined,
    ]]],
    ["this side", [logging({ ...to("a"), match: { mode: "SERVER" } })], "server", [[
      "a",
      undefined,
    ]]],
    ["disabled", [logging({ disabled: true })], "client", []],
    ["disabled, and not below", [logging({ disabled: true }), logging({})], "client", [[
      "all",
      undefined,
    ]]],
    ["a filter for what is inherited", [logging(filter)], "client", [["all", "true"]]],
    ["an inherited filter", [logging({ ...to("a"), ...filter }), logging({})], "client", [[
      "a",
      "true",
    ]]],
    [
      "one of two disabled",
      [logging(to("a", "b")), logging({ ...to("a"), disabled: true })],
      "client",
      [],
    ],
  ];
  for (const [name, specs, direction, wanted] of cases) {
    const rules = logRules(levels(...specs), direction, DEFAULTS);
    assert.deepEqual(rules.map(({ provider, filter }) => [provider, filter]), wanted, name);
  }
});

const metrics = (...overrides: JsonObject[]): JsonObject => ({ metrics: [{ overrides }] });

Deno.test("metrics: levels over each other", () => {
  const disabled = (specs: JsonObject[], direction: Direction = "client") =>
    [...metricRules(levels(...specs), direction, DEFAULTS, counts) ?? []]
      .filter(([, rule]) => rule.disabled).map(([name]) => name);
  assert.deepEqual(disabled([]), []);
  assert.equal(disabled([metrics({ disabled: true })]).length, 10);
  const count = { match: { metric: "REQUEST_COUNT" } };
  assert.deepEqual(disabled([metrics({ ...count, disabled: true })]), ["requests_total"]);
  const custom = { match: { customMetric: "mesh_request_bytes" }, disabled: true };
  assert.deepEqual(disabled([metrics(custom)]), ["request_bytes"]);
  const server = { match: { metric: "REQUEST_COUNT", mode: "SERVER" }, disabled: true };
  assert.deepEqual(disabled([metrics(server)]), []);
  assert.deepEqual(disabled([metrics(server)], "server"), ["requests_total"]);
  const again = [metrics({ disabled: true }), metrics({ ...count, disabled: false })];
  assert.ok(!disabled(again).includes("requests_total"));
  const elsewhere = { metrics: [{ ...to("other"), overrides: [{ disabled: true }] }] };
  assert.equal(metricRules(levels(elsewhere), "client", DEFAULTS, counts), undefined);
  assert.equal(metricRules([], "client", NONE, counts), undefined);
});

Deno.test("metrics: the most specific setting of a label is used", () => {
  const tags = (...values: JsonObject[]) =>
    metricRules(
      levels(...values.map((tagOverrides) => metrics({ tagOverrides }))),
      "client",
      DEFAULTS,
      counts,
    )?.get("requests_total")?.tags;
  const set = { a: { value: "1" } };
  const removed = { a: { operation: "REMOVE" } };
  assert.deepEqual([...tags(set)!], [["a", "1"]]);
  assert.deepEqual([...tags(set, removed)!], [["a", undefined]]);
  assert.deepEqual([...tags(removed, set)!], [["a", "1"]]);
});

Deno.test("tracing: a level inherits unset fields from the levels above", () => {
  const specs = [
    { tracing: [{ ...to("a"), randomSamplingPercentage: 5, enableMeshTags: false }] },
    { tracing: [{ randomSamplingPercentage: 0 }] },
    { tracing: [{ match: { mode: "SERVER" }, disableSpanReporting: true }] },
  ];
  const client = { provider: "a", sampling: 0, meshTags: false };
  assert.deepEqual(tracingRule(levels(...specs), "client", DEFAULTS), client);
  assert.deepEqual(tracingRule(levels(...specs), "server", DEFAULTS), {
    ...client,
    disabled: true,
  });
  assert.deepEqual(tracingRule([], "client", DEFAULTS), { provider: "z" });
});

Deno.test("expressions as formats", () => {
  const cases: [string, string | undefined][] = [
    ["request.path", "%CEL(request.path)%"],
    ['"here"', "here"],
    [" 'here' ", "here"],
    ['"100%"', '%CEL("100%")%'],
    [
      "request.path.startsWith('/a') ? 'a' : 'b'",
      "%CEL(request.path.startsWith('/a') ? 'a' : 'b')%",
    ],
    ["shuffle(request.path)", undefined],
    ["request.path ==", undefined],
    ["f(')%')", undefined],
    ["size(')%')", undefined],
    ['""', '%CEL("")%'],
  ];
  for (const [expression, format] of cases) assert.equal(celFormat(expression), format, expression);
});
