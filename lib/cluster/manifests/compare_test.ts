import assert from "node:assert/strict";
import { differenceLines, fieldDifferences, withoutSecrets } from "./compare.ts";

Deno.test("differences are named by path; items of lists by their names", () => {
  const before = {
    data: { a: "1", "b.yaml": "x" },
    spec: { containers: [{ name: "one", image: "a" }, { name: "two" }], args: ["x", "y"] },
  };
  const after = {
    data: { a: "2" },
    spec: { containers: [{ name: "two" }, { name: "one", image: "b" }], args: ["x", "z", "w"] },
  };
  assert.deepEqual(differenceLines(fieldDifferences(before, after)), [
    "~ data.a: 1 → 2",
    '- data["b.yaml"]: x',
    "~ spec.containers[one].image: a → b",
    '~ spec.args: ["x","y"] → ["x","z","w"]',
  ]);
  assert.deepEqual(fieldDifferences(before, structuredClone(before)), []);
});

Deno.test("values of secrets are not shown, and long values are cut", () => {
  const differences = fieldDifferences({ data: { key: "hidden" } }, { data: { key: "other" } });
  assert.deepEqual(differenceLines(differences, { isSecret: true }), [
    "~ data.key: (not shown) → (not shown)",
  ]);
  const [line] = differenceLines(fieldDifferences({}, { text: "x".repeat(1000) }));
  assert.ok(line!.length < 250);
  const metadata = { name: "b", namespace: "a" };
  const object = { apiVersion: "v1", kind: "Secret", metadata, data: { key: "hidden" } };
  const named = { kind: "Secret", namespace: "a", name: "b", object };
  assert.deepEqual(withoutSecrets(named), { ...object, data: { key: "(not shown)" } });
  assert.deepEqual(withoutSecrets({ ...named, kind: "ConfigMap" }), named.object);
});
