import assert from "node:assert/strict";
import { composed, partsOf } from "./compose.ts";
import { DEFAULT_TEMPLATES } from "./mod.ts";

const PARTS = partsOf(`# Explanation.

# part: outer
# Its meaning.
a: 1
  # include: inner

# part: inner
b: 2
{{ if .X }}
c: 3
`);

Deno.test("a part is included with its own parts, indented like the line that names it", () => {
  assert.equal(
    composed("x:\n  # include: outer\nd: 4\n", PARTS),
    [
      "x:",
      "  a: 1",
      "    b: 2",
      "    {{ if .X }}",
      "    c: 3",
      "d: 4\n",
    ].join("\n"),
  );
});

Deno.test("comments and empty lines are no text of a template; a # within a line is", () => {
  assert.equal(composed("# a\n\nx: a # b\n  # c\ny: 1\n", PARTS), "x: a # b\ny: 1\n");
});

Deno.test("a part that does not exist is named", () => {
  assert.throws(() => composed("# include: other\n", PARTS), /parts\.yaml has no part other/);
});

Deno.test("the built-in templates have no comment left, and each of their lines has text", () => {
  for (const [name, text] of Object.entries(DEFAULT_TEMPLATES)) {
    assert.ok(text.split("\n").length > 20, name);
    assert.doesNotMatch(text, /^ *(#.*)?\n/m, name);
  }
});
