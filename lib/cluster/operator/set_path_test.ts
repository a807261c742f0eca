/** Paths and values of settings. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { parsePath, parseSetting, parseValue, pathText, type Step } from "./set_path.ts";

const key = (name: string): Step => ({ kind: "key", key: name });

Deno.test("paths have keys, indexes, elements and escapes", () => {
  const cases: readonly (readonly [string, readonly Step[]])[] = [
    ["a.b", [key("a"), key("b")]],
    ["a[0].b", [key("a"), { kind: "index", index: 0 }, key("b")]],
    ["a.[name:x:y].b", [key("a"), { kind: "element", key: "name", value: "x:y" }, key("b")]],
    ["a[name:x]", [key("a"), { kind: "element", key: "name", value: "x" }]],
    ["a[:x]", [key("a"), { kind: "element", key: "", value: "x" }]],
    ["a.b\\.c/d", [key("a"), key("b.c/d")]],
    ["a\\\\b\\[c", [key("a\\b[c")]],
    ["a[0][1]", [key("a"), { kind: "index", index: 0 }, { kind: "index", index: 1 }]],
  ];
  for (const [text, steps] of cases) assert.deepEqual(parsePath(text), steps, text);
});

Deno.test("values have inferred types, unless they are quoted", () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ["true", true],
    ["false", false],
    ["null", null],
    ["17", 17],
    ["-3", -3],
    ["007", "007"],
    ["1.5", 1.5],
    ["1.24.0", "1.24.0"],
    ["12345678901234567890", "12345678901234567890"],
    ["1e3", "1e3"],
    ["True", "True"],
    ["", ""],
    ["a=b", "a=b"],
  ];
  for (const [text, value] of cases) {
    assert.deepEqual(parseValue(text), { kind: "inferred", text, value }, text);
  }
  assert.deepEqual(parseValue('"true"'), { kind: "quoted", text: "true" });
  assert.deepEqual(parseValue("'1'"), { kind: "quoted", text: "1" });
  assert.deepEqual(parseValue("{}"), { kind: "list", items: [] });
  assert.deepEqual(parseValue('{a, 2,b\\,c,"d,e"}'), {
    kind: "list",
    items: [
      { kind: "inferred", text: "a", value: "a" },
      { kind: "inferred", text: "2", value: 2 },
      { kind: "inferred", text: "b,c", value: "b,c" },
      { kind: "quoted", text: "d,e" },
    ],
  });
});

Deno.test("the first equals sign outside of brackets ends the path", () => {
  const { steps, value } = parseSetting("a.[name:x=y].b=c=d");
  assert.deepEqual(steps, [key("a"), { kind: "element", key: "name", value: "x=y" }, key("b")]);
  assert.deepEqual(value, { kind: "inferred", text: "c=d", value: "c=d" });
});

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.string({ minLength: 1 }).map(key),
  fc.nat(99).map((index): Step => ({ kind: "index", index })),
  fc.tuple(fc.stringMatching(/^[a-z]+$/), fc.stringMatching(/^[^\]]*$/))
    .map(([name, value]): Step => ({ kind: "element", key: name, value })),
);

Deno.test("a path that was written is read as it was", () => {
  const path = fc.tuple(fc.string({ minLength: 1 }).map(key), fc.array(STEP, { maxLength: 5 }));
  fc.assert(fc.property(path, ([first, rest]) => {
    const steps = [first, ...rest];
    assert.deepEqual(parsePath(pathText(steps)), steps);
    assert.deepEqual(parseSetting(`${pathText(steps)}=v`).steps, steps);
  }));
});
