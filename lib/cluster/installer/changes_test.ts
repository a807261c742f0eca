import assert from "node:assert/strict";
import { changeLines, changesBetween } from "./changes.ts";

Deno.test("changes are named by path; items of lists by their names", () => {
  const before = {
    data: { a: "1", "b.yaml": "x" },
    spec: { containers: [{ name: "one", image: "a" }, { name: "two" }], args: ["x", "y"] },
  };
  const after = {
    data: { a: "2" },
    spec: { containers: [{ name: "two" }, { name: "one", image: "b" }], args: ["x", "z", "w"] },
  };
  assert.deepEqual(changeLines(changesBetween(before, after), false), [
    '~ .data.a: "1" -> "2"',
    '- .data["b.yaml"]: "x"',
    '~ .spec.containers[one].image: "a" -> "b"',
    '~ .spec.args[1]: "y" -> "z"',
    '+ .spec.args[2]: "w"',
  ]);
  assert.deepEqual(changesBetween(before, structuredClone(before)), []);
});

Deno.test("values of secrets are not shown, and long values are cut", () => {
  const changes = changesBetween({ data: { key: "secret" } }, { data: { key: "other" } });
  assert.deepEqual(changeLines(changes, true), ["~ .data.key: (not shown) -> (not shown)"]);
  const [line] = changeLines(changesBetween({}, { text: "x".repeat(1000) }), false);
  assert.ok(line!.length < 250);
});
