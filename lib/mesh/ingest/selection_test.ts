import assert from "node:assert/strict";
import {
  DEFAULT_FEATURES,
  everything,
  proxyNode,
  startTranslation,
} from "../../../tests/support/translation_fixture.ts";
import { parseMeshConfig } from "../schema/mod.ts";

const service = (namespace: string): string =>
  `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: s, namespace: ${namespace}}
spec:
  hosts: [${namespace}.example]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1}]
`;

const namespace = (name: string, labels: string): string =>
  `apiVersion: v1
kind: Namespace
metadata: {name: ${name}, labels: {${labels}}}
`;

const config = (text: string) => parseMeshConfig(text, "mesh").value!;

const SELECTORS = "discoverySelectors: [{matchLabels: {watch: mesh}}]";

function bench(text: string, scoping = true) {
  const made = startTranslation(config(text), { ...DEFAULT_FEATURES, enhancedScoping: scoping });
  for (const name of ["one", "two", "mesh-system"]) made.set(service(name));
  const binding = made.translation.source.bind(proxyNode("one"), () => {});
  const hosts = (): string[] =>
    Object.keys(everything(binding).cluster!)
      .flatMap((name) => /\|\|(.+)\.example$/.exec(name)?.[1] ?? []).sort();
  return { ...made, hosts };
}

Deno.test("namespaces are selected by their labels, the root namespace always", () => {
  const { set, remove, hosts, writer } = bench(SELECTORS);
  assert.deepEqual(hosts(), ["mesh-system"]);
  set(namespace("one", "watch: mesh"));
  assert.deepEqual(hosts(), ["mesh-system", "one"]);
  assert.ok(writer.selects("one") && !writer.selects("two"));
  set(namespace("one", "watch: not"));
  assert.deepEqual(hosts(), ["mesh-system"]);
  set(namespace("one", "watch: mesh"));
  remove("Namespace", "/one");
  assert.deepEqual(hosts(), ["mesh-system"]);
});

Deno.test("changed selectors at run time bring back excluded objects", () => {
  const { set, remove, hosts, apply } = bench(SELECTORS);
  const select = (text: string): string[] => (apply({ mesh: config(text) }), hosts());
  assert.deepEqual(select(""), ["mesh-system", "one", "two"]);
  const name = "kubernetes.io/metadata.name";
  const cases: readonly [string, string[]][] = [
    [`{matchLabels: {${name}: two}}`, ["mesh-system", "two"]],
    [`{matchLabels: {${name}: two}}, {matchLabels: {${name}: one}}`, ["mesh-system", "one", "two"]],
    [`{matchExpressions: [{key: ${name}, operator: NotIn, values: [one]}]}`, [
      "mesh-system",
      "two",
    ]],
    ["{matchExpressions: [{key: nothing, operator: Exists}]}", ["mesh-system"]],
    ["{matchExpressions: [{key: nothing, operator: DoesNotExist}]}", ["mesh-system", "one", "two"]],
    [`{matchExpressions: [{key: ${name}, operator: In, values: [one]}]}`, ["mesh-system", "one"]],
  ];
  for (const [selector, seen] of cases) {
    assert.deepEqual(select(`discoverySelectors: [${selector}]`), seen, selector);
  }
  remove("ServiceEntry", "two/s");
  set(service("three"));
  assert.deepEqual(select(""), ["mesh-system", "one", "three"], "what went meanwhile stays away");
});

Deno.test("a newly selected object is exported by the current mesh configuration", () => {
  const { hosts, apply } = bench(SELECTORS);
  apply({ mesh: config('defaultServiceExportTo: ["."]') });
  assert.deepEqual(hosts(), ["one"]);
  apply({ mesh: config(SELECTORS) });
  assert.deepEqual(hosts(), ["mesh-system"]);
  apply({ mesh: config("") });
  assert.deepEqual(hosts(), ["mesh-system", "one", "two"]);
});

Deno.test("ENABLE_ENHANCED_RESOURCE_SCOPING=false: selectors bound no configuration", () => {
  assert.deepEqual(bench(SELECTORS, false).hosts(), ["mesh-system", "one", "two"]);
});
