import assert from "node:assert/strict";
import { type AuthzCase, runAuthzCase } from "../../../../tests/support/authz_corpus.ts";

const corpora = Deno.env.get("MESH_CORPORA") ?? Deno.env.get("MESH_CORPORA_DIR") ??
  "../shared/corpora";

function casesOf(): readonly (AuthzCase & { readonly name: string })[] | undefined {
  try {
    return JSON.parse(Deno.readTextFileSync(`${corpora}/authz/cases.json`)).cases;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

const cases = casesOf();

Deno.test({
  name: "authz: policies of the corpus give its filters" +
    (cases ? "" : " [MESH_CORPORA has no corpora]"),
  ignore: cases === undefined,
  async fn(t) {
    for (const one of cases ?? []) {
      await t.step(one.name, () => {
        const read = (file: string): string => Deno.readTextFileSync(`${corpora}/authz/${file}`);
        const { found, wanted } = runAuthzCase(one, read);
        assert.deepEqual(found, wanted);
      });
    }
  },
});
