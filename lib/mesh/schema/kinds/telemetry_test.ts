import assert from "node:assert/strict";
import { checkRules, readSpec } from "../../../../tests/support/spec_text.ts";

const override = (yaml: string) => `metrics:\n- overrides:\n  - ${yaml}`;
const AT = "spec.metrics[0].overrides[0]";

Deno.test("Telemetry: targets", () => {
  const gateway = "{group: gateway.networking.k8s.io, kind: Gateway, name: g}";
  checkRules("Telemetry", [
    ["nothing", "{}"],
    ["labels", "selector: {matchLabels: {a: b}}"],
    ["targets", `targetRefs: [${gateway}, {kind: Service, name: s}]`],
    [
      "one target",
      `targetRef: {group: networking.mesh.io, kind: ServiceEntry, name: e, namespace: default}`,
    ],
    ["both", `selector: {matchLabels: {a: b}}\ntargetRef: ${gateway}`, "conflict spec.targetRef 2"],
    ["no name", "targetRef: {kind: Service}", "required spec.targetRef.name 1"],
    ["no kind", "targetRef: {name: a}", "required spec.targetRef.kind 1"],
    ["kind", "targetRef: {kind: Pod, name: a}", "unknown-value spec.targetRef.kind 1"],
    [
      "group",
      "targetRef: {group: A_, kind: Gateway, name: a}",
      "invalid-name spec.targetRef.group 1",
    ],
    [
      "namespace",
      "targetRefs: [{kind: Service, name: a, namespace: b}]",
      "conflict spec.targetRefs[0].namespace 1",
    ],
    [
      "too many",
      `targetRefs: [${Array.from({ length: 17 }, () => "{kind: Service, name: a}").join(", ")}]`,
      "out-of-range spec.targetRefs 1",
    ],
  ]);
});

Deno.test("Telemetry: metrics", () => {
  checkRules("Telemetry", [
    ["custom metric", override("match: {customMetric: x, mode: CLIENT}")],
    [
      "no custom metric",
      override('match: {customMetric: ""}'),
      `required ${AT}.match.customMetric 3`,
    ],
    [
      "two metrics",
      override("match: {customMetric: x, metric: ALL_METRICS}"),
      `exclusive-fields ${AT}.match.metric 3`,
    ],
    ["set", override("tagOverrides: {a: {value: request.method}}")],
    ["set to nothing", override("tagOverrides: {a: {}}"), `required ${AT}.tagOverrides.a.value 3`],
    ["removed", override("tagOverrides: {a: {operation: REMOVE}}")],
    [
      "removed with value",
      override("tagOverrides: {a: {operation: REMOVE, value: b}}"),
      `conflict ${AT}.tagOverrides.a.value 3`,
    ],
    [
      "tag without name",
      override('tagOverrides: {"": {value: b}}'),
      `required ${AT}.tagOverrides[""] 3`,
    ],
    [
      "interval",
      "metrics: [{reportingInterval: 0s}]",
      "invalid-duration spec.metrics[0].reportingInterval 1",
    ],
    ["provider", "metrics: [{providers: [{}]}]", "required spec.metrics[0].providers[0].name 1"],
    [
      "provider twice",
      "metrics: [{providers: [{name: a}, {name: a}]}]",
      "duplicate spec.metrics[0].providers[1].name 1",
    ],
  ]);
});

Deno.test("Telemetry: tracing and access logs", () => {
  const tag = (yaml: string) => `tracing: [{customTags: {t: ${yaml}}}]`;
  const at = "spec.tracing[0].customTags.t";
  checkRules("Telemetry", [
    ["sampling", "tracing: [{randomSamplingPercentage: 100.0}]"],
    [
      "too much",
      "tracing: [{randomSamplingPercentage: 100.1}]",
      "out-of-range spec.tracing[0].randomSamplingPercentage 1",
    ],
    [
      "too little",
      "tracing: [{randomSamplingPercentage: -1}]",
      "out-of-range spec.tracing[0].randomSamplingPercentage 1",
    ],
    ["tag of nothing", tag("{}"), `required ${at} 1`],
    ["literal", tag("{literal: {}}"), `required ${at}.literal.value 1`],
    ["environment", tag("{environment: {}}"), `required ${at}.environment.name 1`],
    ["header", tag("{header: {defaultValue: a}}"), `required ${at}.header.name 1`],
    ["formatter", tag("{formatter: {}}"), `required ${at}.formatter.value 1`],
    [
      "two values",
      tag("{header: {name: a}, literal: {value: b}}"),
      `exclusive-fields ${at}.literal 1`,
    ],
    [
      "no tag name",
      'tracing: [{customTags: {"": {literal: {value: a}}}}]',
      'required spec.tracing[0].customTags[""] 1',
    ],
    ["filter", "accessLogging: [{filter: {expression: response.code >= 400}}]"],
    [
      "filter of nothing",
      "accessLogging: [{filter: {}}]",
      "invalid-expression spec.accessLogging[0].filter.expression 1",
    ],
    [
      "bad filter",
      "accessLogging: [{filter: {expression: 'response.code >'}}]",
      "invalid-expression spec.accessLogging[0].filter.expression 1",
    ],
  ]);
});

Deno.test("Telemetry: ineffective settings give warnings", () => {
  const cases: [string, string][] = [
    ["tracing: [{}, {}]", "conflict spec.tracing"],
    ["tracing: [{providers: [{name: a}, {name: b}]}]", "conflict spec.tracing[0].providers"],
    ["selector: {}", "required spec.selector"],
    [
      "metrics: [{overrides: [{match: {metric: GRPC_REQUEST_MESSAGES}, disabled: true}]}]",
      "no-effect spec.metrics[0].overrides[0].match.metric",
    ],
    ["metrics: [{reportingInterval: 5s}]", "no-effect spec.metrics[0].reportingInterval"],
    [
      override("tagOverrides: {a: {value: shuffle(request.path)}}"),
      `invalid-expression ${AT}.tagOverrides.a.value`,
    ],
    [
      "accessLogging: [{filter: {expression: shuffle(request.path)}}]",
      "invalid-expression spec.accessLogging[0].filter.expression",
    ],
    [override("tagOverrides: {a: {value: a b}}"), `invalid-expression ${AT}.tagOverrides.a.value`],
  ];
  for (const [spec, expected] of cases) {
    const { objects, warnings } = readSpec("Telemetry", spec);
    assert.equal(objects.length, 1);
    assert.deepEqual(warnings.map(({ code, path }) => `${code} ${path}`), [expected]);
  }
});
