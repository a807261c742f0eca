import assert from "node:assert/strict";
import { KINDS, parseConfigDocuments } from "./mod.ts";

interface Case {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly expected: { readonly valid?: boolean };
}

const corpora = Deno.env.get("MESH_CORPORA_DIR") ?? "../shared/corpora";

function casesOf(corpus: string): readonly Case[] | undefined {
  try {
    return JSON.parse(Deno.readTextFileSync(`${corpora}/${corpus}/cases.json`)).cases;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

const validation = casesOf("validation");

Deno.test({
  name: "corpora: cases of the kinds that are read are accepted or refused as expected" +
    (validation ? "" : " [MESH_CORPORA_DIR has no corpora]"),
  ignore: validation === undefined,
  fn() {
    const kinds = new Set(KINDS.map(({ kind }) => kind.toLowerCase()));
    let count = 0;
    for (const { name, inputs, expected } of validation ?? []) {
      const [file = ""] = inputs;
      if (!kinds.has(file.split("-")[0] ?? "")) continue;
      count++;
      const text = Deno.readTextFileSync(`${corpora}/validation/${file}`);
      const { problems } = parseConfigDocuments(text, file);
      assert.equal(problems.length === 0, expected.valid, `${name}: ${problems[0]?.message}`);
    }
    assert.ok(count > 0);
  },
});

const samples = casesOf("samples");

Deno.test({
  name: "corpora: manifests as users write them are read" +
    (samples ? "" : " [MESH_CORPORA_DIR has no corpora]"),
  ignore: samples === undefined,
  fn() {
    let count = 0;
    for (const { inputs } of samples ?? []) {
      for (const file of inputs) {
        const { objects, problems } = parseConfigDocuments(
          Deno.readTextFileSync(`${corpora}/samples/${file}`),
          file,
        );
        count += objects.length;
        const foreign = new Set(["unknown-kind", "unsupported-kind"]);
        assert.deepEqual(problems.filter(({ code }) => !foreign.has(code)), [], file);
      }
    }
    assert.ok(count > 0);
  },
});
