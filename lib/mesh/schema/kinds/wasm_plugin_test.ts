import assert from "node:assert/strict";
import { checkRules, readSpec } from "../../../../tests/support/spec_text.ts";

const SUM = "0123456789abcdef".repeat(4);
const env = (yaml: string) => `url: a.example/b:c\nvmConfig:\n  env: ${yaml}`;
const AT = "spec.vmConfig.env";

Deno.test("WasmPlugin: rules", () => {
  checkRules("WasmPlugin", [
    ["registry", "url: registry.example:5000/path/image@sha256:" + SUM],
    ["file", "url: file:///opt/filter.wasm"],
    [
      "all",
      `url: https://a.example/f.wasm\nsha256: ${SUM}\nimagePullSecret: s\nphase: AUTHN\npriority: -3\n` +
      "pluginName: p\npluginConfig: {a: [1, null]}\nfailStrategy: FAIL_OPEN\ntype: NETWORK\n" +
      "match: [{mode: SERVER, ports: [{number: 80}]}]\nimagePullPolicy: IfNotPresent",
    ],
    ["no url", "phase: AUTHN", "required spec.url 0"],
    ["no place", "url: 'https://'", "invalid-value spec.url 1"],
    ["no URL", "url: '#%blah$#@'", "invalid-value spec.url 1"],
    ["scheme", "url: ftp://a/b", "unknown-value spec.url 1"],
    ["sum", "url: a/b\nsha256: foo", "invalid-value spec.sha256 2"],
    ["sum in capitals", `url: a/b\nsha256: ${SUM.toUpperCase()}`, "invalid-value spec.sha256 2"],
    ["secret", "url: a/b\nimagePullSecret: A_b", "invalid-name spec.imagePullSecret 2"],
    ["name", `url: a/b\npluginName: ${"x".repeat(257)}`, "out-of-range spec.pluginName 2"],
    [
      "port",
      "url: a/b\nmatch: [{ports: [{number: 0}]}]",
      "invalid-port spec.match[0].ports[0].number 2",
    ],
    [
      "selector",
      "url: a/b\nselector: {matchLabels: {a: b*}}",
      "invalid-value spec.selector.matchLabels.a 2",
    ],
    ["host variable", env("[{name: a, valueFrom: HOST}, {name: b, value: c}]")],
    [
      "host variable with value",
      env("[{name: a, valueFrom: HOST, value: b}]"),
      `conflict ${AT}[0].value 3`,
    ],
    ["no variable", env("[{value: b}]"), `required ${AT}[0].name 3`],
    ["variable twice", env("[{name: a}, {name: a}]"), `duplicate ${AT}[1].name 3`],
    ["long name", env(`[{name: ${"x".repeat(257)}}]`), `out-of-range ${AT}[0].name 3`],
    ["long value", env(`[{name: a, value: ${"x".repeat(2049)}}]`), `out-of-range ${AT}[0].value 3`],
    [
      "many",
      env(`[${Array.from({ length: 257 }, (_, at) => `{name: v${at}}`).join(", ")}]`),
      `out-of-range ${AT} 3`,
    ],
  ]);
});

Deno.test("WasmPlugin: fields without effect give warnings", () => {
  const cases: [spec: string, warned: string[]][] = [
    ["url: oci://a.example/b", []],
    ["url: https://a.example/b.wasm", []],
    ["url: oci://a.example/b\nimagePullSecret: s", []],
    [`url: https://a.example/b.wasm\nsha256: ${SUM}`, []],
    ["url: file:///b.wasm", []],
    ["url: oci://a.example/b\nimagePullPolicy: Always", []],
    ["url: file:///b.wasm\nverificationKey: k", ["spec.verificationKey"]],
  ];
  for (const [spec, warned] of cases) {
    const { warnings } = readSpec("WasmPlugin", spec);
    assert.deepEqual(warnings.map(({ path }) => path), warned, spec);
  }
});
