/**
 * For tests of kinds: one document made from its specification, and the
 * problems that reading it reports.
 *
 * @module
 */
import assert from "node:assert/strict";
import { KINDS, parseConfigDocuments, type ParsedDocuments } from "../../lib/mesh/schema/mod.ts";

/** A specification and what must be said: `code path line`; nothing for a good one. */
export type RuleCase = readonly [name: string, spec: string, ...said: string[]];

/** The lines before the specification: its first line is line 5. */
const HEAD = 4;

/** Reads one document of a kind; the specification is YAML without indentation. */
export function readSpec(kind: string, spec: string): ParsedDocuments {
  const body = spec.split("\n").map((line) => `  ${line}`).join("\n");
  const named = KINDS.find((one) => one.kind === kind);
  const head = `apiVersion: ${named?.group}/${
    named?.versions[0]
  }\nkind: ${kind}\nmetadata: {name: x}\nspec:\n`;
  return parseConfigDocuments(`${head}${body}\n`, "x.yaml");
}

/** Checks the problems of each case; lines count from 1 at the specification's first. */
export function checkRules(kind: string, cases: readonly RuleCase[]): void {
  for (const [name, spec, ...said] of cases) {
    const { objects, problems } = readSpec(kind, spec);
    const found = problems.map(({ code, path, line }) => `${code} ${path} ${line - HEAD}`);
    assert.deepEqual(found, said, name);
    assert.equal(objects.length, said.length === 0 ? 1 : 0, name);
    for (const { message, remedy } of problems) {
      assert.match(message, /[^.]$/, name);
      assert.match(remedy, /[.?]$/, `${name}: ${remedy}`);
    }
  }
}
