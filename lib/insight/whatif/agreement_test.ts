/**
 * A what-if question rejects the documents that a check of files rejects, for the same reasons. The
 * check equals a running daemon: see `lib/mesh/sources/files/check_files_test.ts`.
 */
import assert from "node:assert/strict";
import { checkConfigFiles } from "../../mesh/sources/mod.ts";
import { startTranslation } from "../../../tests/support/translation_fixture.ts";
import { serviceEntry } from "../../../tests/support/manifest.ts";
import { createWhatIf } from "./mod.ts";

const GOOD = serviceEntry("a", ["a.test"], { number: 80, protocol: "HTTP" }, []);
const DOCUMENTS: Readonly<Record<string, string>> = {
  "good": GOOD,
  "a duplicate": `${GOOD}---\n${GOOD}`,
  "a group of others": GOOD.replace("networking.mesh.io", "networking.other.io"),
  "a group of the mesh": GOOD.replace("networking", "security"),
  "a misspelt kind": GOOD.replace("ServiceEntry", "ServiceEntri"),
  "an unknown version": GOOD.replace("mesh.io/v1", "mesh.io/v9"),
  "no kind": GOOD.replace("kind: ServiceEntry\n", ""),
  "an unknown field": GOOD.replace("hosts:", "hots:"),
  "a wrong value": GOOD.replace("number: 80", "number: 70000"),
  "a key twice": `${GOOD}spec: {}\n`,
  "YAML that does not parse": "a: [\n",
  "an object of others": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n",
};

for (const [name, text] of Object.entries(DOCUMENTS)) {
  Deno.test(`what-if rejects what a check of files rejects: ${name}`, async () => {
    const file = await Deno.makeTempFile({ prefix: "mesh-agree-", suffix: ".yaml" });
    try {
      await Deno.writeTextFile(file, text);
      const { problems } = await checkConfigFiles([file]);
      const bench = startTranslation();
      const whatIf = createWhatIf({
        live: bench,
        make: () => startTranslation(),
        sessions: () => [],
      });
      const answer = await whatIf.ask(
        { documents: text, removals: [] },
        new AbortController().signal,
      );
      const codes = (list: readonly { readonly code: string; readonly line: number }[]) =>
        list.map(({ code, line }) => `${code} ${line}`);
      assert.deepEqual(answer.kind === "invalid" ? codes(answer.problems) : [], codes(problems));
    } finally {
      await Deno.remove(file);
    }
  });
}
