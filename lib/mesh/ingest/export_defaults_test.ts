import assert from "node:assert/strict";
import {
  everything,
  proxyNode,
  startTranslation,
} from "../../../tests/support/translation_fixture.ts";
import { parseMeshConfig } from "../schema/mod.ts";

const HEAD = "apiVersion: networking.mesh.io/v1\nkind: ";

const service = (name: string, more = "") =>
  `${HEAD}ServiceEntry
metadata: {name: ${name}, namespace: one}
spec:
  hosts: [${name}.example]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1}]
${more}`;

const RULE = `${HEAD}DestinationRule
metadata: {name: a, namespace: one}
spec: {host: b.example, subsets: [{name: s, labels: {a: b}}]}
`;

const ROUTE = `${HEAD}VirtualService
metadata: {name: a, namespace: one}
spec: {hosts: [b.example], http: [{redirect: {uri: /x}}]}
`;

const config = (text: string) => parseMeshConfig(text, "mesh").value!;

Deno.test("objects that do not say whom they are exported to follow the mesh configuration", () => {
  const bench = startTranslation(config('defaultServiceExportTo: ["."]'));
  bench.set(service("a"));
  bench.set(service("b", '  exportTo: ["*"]\n'));
  bench.set(RULE);
  bench.set(ROUTE);
  const [home, away] = ["one", "two"].map((ns) =>
    bench.translation.source.bind(proxyNode(ns), () => {})
  );
  const clusters = (binding: typeof home): string[] =>
    Object.keys(everything(binding!).cluster!).filter((name) => name.includes("example"));
  const table = (binding: typeof home): string => everything(binding!).route!["80"] ?? "";
  const subset = "outbound|80|s|b.example";

  assert.deepEqual(clusters(home), [
    "outbound|80|s|b.example",
    "outbound|80||a.example",
    "outbound|80||b.example",
  ]);
  assert.deepEqual(clusters(away), [subset, "outbound|80||b.example"]);

  const routed = table(away);
  bench.apply({ mesh: config('defaultVirtualServiceExportTo: ["."]') });
  assert.ok(clusters(away).includes("outbound|80||a.example"), "services are for all again");
  assert.notEqual(table(away), routed, "the route is its namespace's own");

  bench.apply({ mesh: config("defaultDestinationRuleExportTo: [three]") });
  assert.ok(!clusters(away).includes(subset), "the rule is not for this namespace");
  bench.apply({ mesh: config("") });
  assert.ok(clusters(away).includes(subset));

  bench.remove("ServiceEntry", "one/a");
  bench.apply({ mesh: config('defaultServiceExportTo: ["."]') });
  assert.ok(!clusters(home).includes("outbound|80||a.example"), "what is gone stays gone");
});
