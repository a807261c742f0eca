import assert from "node:assert/strict";
import { editYaml, parseYaml, type YamlScalar } from "./mod.ts";

/** Replaces `old` by `new` in every scalar. */
function renamed(text: string): string {
  return editYaml(text, ({ scalars }) =>
    new Map(
      scalars.filter((one) => one.text.includes("old"))
        .map((one): [YamlScalar, string] => [one, one.text.replaceAll("old", "new")]),
    )).text;
}

Deno.test("edits: comments, order, quotes and layout stay", () => {
  const text = `# old: a comment
b: old   # old
"old-key": 'it''s old'
a: ["old", {old: x-old}]   # flow
block: |-
  # old in a block
  old: 1

   old
anchor: &old old
alias: *old
\u{20ac}: "tab\\told"
`;
  const expected = text.replace("b: old", "b: new").replace('"old-key"', '"new-key"')
    .replace("it''s old", "it''s new").replace('["old", {old: x-old}]', '["new", {new: x-new}]')
    .replace("  # old in", "  # new in").replace("  old: 1", "  new: 1").replace(
      "   old\n",
      "   new\n",
    )
    .replace("&old old", "&old new").replace("told", "tnew");
  assert.equal(renamed(text), expected);
});

Deno.test("edits: documents, markers, directives and marks of byte order stay", () => {
  const text = "\ufeff%YAML 1.1\n---\na: old\n--- # old\nb: old\n...\n---\nc: old\n--- {d: old}\n";
  const expected = text.replaceAll(": old", ": new");
  assert.equal(renamed(text), expected);
});

Deno.test("edits: folded text and text of other length is written in quotes", () => {
  assert.equal(renamed("a: >-\n  old\n  text\nb: 1\n"), 'a: "new text"\nb: 1\n');
  const { text } = editYaml(
    "a: |\n  x\nb: 1\n",
    ({ scalars }) => new Map([[scalars[1]!, 'two\n"lines"\n']]),
  );
  assert.deepEqual(
    parseYaml(text),
    Object.assign(Object.create(null), { a: 'two\n"lines"\n', b: 1 }),
  );
});

Deno.test("edits: a plain word that would be read as another type gets quotes", () => {
  for (const now of ["yes", "1", "a: b", "a #b", "- x", "", "!x"]) {
    const { text } = editYaml("a: word\n", ({ scalars }) => new Map([[scalars[1]!, now]]));
    assert.equal((parseYaml(text) as { a: unknown }).a, now, text);
  }
});

Deno.test("edits: a broken document is named with its line and stays", () => {
  const text = "a: old\n---\nb: [old\n---\nc: old\n";
  const { problems } = editYaml(text, () => new Map());
  assert.deepEqual(problems.map(({ line }) => line), [4]);
  assert.equal(renamed(text), "a: new\n---\nb: [old\n---\nc: new\n");
});
