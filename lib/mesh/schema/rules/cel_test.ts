import assert from "node:assert/strict";
import fc from "fast-check";
import { celFault } from "./cel.ts";

const GOOD = [
  "true",
  "response.code >= 400 && response.code < 600",
  `request.headers['x-id'] == "a\\"b" || !has(request.auth)`,
  "xds.cluster_name.startsWith('outbound') ? 1 : -2",
  "[1, 2u, 0x1F, 1.5e3,].exists(x, x in [1, 2])",
  "{'a': 1, 'b': [2]}['a'] == 1",
  "a.b.C{x: 1, y: 'z'}.x % 2 == 0 // remark",
  `r"\\d+" != '''long 'text' '''`,
  "-(-1) + .5",
];

const BAD: [expression: string, fault: RegExp][] = [
  ["", /^expected an operand, found the end$/],
  ["response.code >=", /^expected an operand, found the end$/],
  ["a b", /^expected an operator, found "b" at character 3$/],
  ["(a", /^expected "\)", found the end$/],
  ["f(a b)", /^expected "," or "\)"/],
  ["a.[b]", /^expected a name/],
  ["a ? b", /^expected ":"/],
  ["'open", /^"'" at character 1 begins nothing$/],
  ["a = b", /^"=" at character 3 begins nothing$/],
  ["a in in b", /^expected an operand, found "in"/],
  ["(".repeat(200), /nested more than 100 deep/],
  [" ".repeat(20_000), /longer than/],
];

Deno.test("cel: expressions that can be read", () => {
  for (const expression of GOOD) assert.equal(celFault(expression), undefined, expression);
});

Deno.test("cel: syntax errors have positions", () => {
  for (const [expression, fault] of BAD) assert.match(celFault(expression) ?? "", fault);
});

Deno.test("cel: any text gets an answer", () => {
  const words = fc.constantFrom("a", "(", ")", "[", "]", "{", "}", "?", ":", "&&", "'x'", "1", ".");
  fc.assert(fc.property(fc.array(words, { maxLength: 40 }), (parts) => {
    const fault = celFault(parts.join(" "));
    assert.ok(fault === undefined || fault.length > 0);
    // A valid expression is also valid in parentheses.
    if (fault === undefined) assert.equal(celFault(`(${parts.join(" ")})`), undefined);
  }));
});
