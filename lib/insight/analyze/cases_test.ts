/**
 * Cases of analyzers, in the files of `cases/`. A line `# case: NAME` begins a case, lines
 * `# expect: CODE Kind/namespace/name path` have its messages, and the first line of a file,
 * `# codes: CODE…`, the codes that are compared. Documents after `# cluster: NAME` are those of
 * another cluster.
 */
import assert from "node:assert/strict";
import {
  defaultMeshConfig,
  parseConfigDocuments,
  type SeenDocument,
} from "../../mesh/schema/mod.ts";
import { analyzeFileSet } from "./file_set.ts";
import { type Code, CODES } from "./codes.ts";
import { DOCUMENT_CODES } from "./document_codes.ts";
import { OBJECT_CODES } from "./object_codes.ts";
import { OWN_CODES } from "./own_codes.ts";
import { objectsOfParsed } from "../../../tests/support/analysis_fixture.ts";

const FOLDER = new URL("./cases/", import.meta.url);
const produced = new Set<string>();

function messagesOf(text: string, codes: readonly string[]): string[] {
  const seen: SeenDocument[] = [];
  const [, ...others] = text.split(/^# cluster: (\S+)\n/m);
  const remotes = others.flatMap((cluster, i) =>
    i % 2 === 0 ? [{ cluster, seen: seenIn(others[i + 1]!) }] : []
  );
  const { objects } = parseConfigDocuments(
    text.split(/^# cluster: /m)[0]!,
    "case.yaml",
    undefined,
    {
      seen: (one) => seen.push(one),
    },
  );
  const messages = analyzeFileSet({
    objects: objectsOfParsed(objects),
    seen,
    remotes,
    mesh: defaultMeshConfig(),
    meshNamespace: "mesh-system",
    domain: "cluster.local",
    assumeGateway: true,
    all: true,
    now: () => performance.now(),
  });
  return messages.filter(({ code }) => codes.includes(code)).map(({ code, object, path }) => {
    produced.add(code);
    const { kind, namespace, name } = object!;
    return `${code} ${kind}/${namespace === "" ? "" : `${namespace}/`}${name} ${path}`.trimEnd();
  }).sort();
}

function seenIn(text: string): SeenDocument[] {
  const seen: SeenDocument[] = [];
  parseConfigDocuments(text, "remote.yaml", undefined, { seen: (one) => seen.push(one) });
  return seen;
}

for (
  const { name: file } of [...Deno.readDirSync(FOLDER)].sort((a, b) => a.name < b.name ? -1 : 1)
) {
  const [head = "", ...cases] = Deno.readTextFileSync(new URL(file, FOLDER)).split(/^# case: /m);
  const codes = head.replace("# codes: ", "").trim().split(/\s+/);
  for (const one of cases) {
    const [name = "", ...lines] = one.split("\n");
    Deno.test(`analysis of ${file.replace(".cases", "")}: ${name}`, () => {
      const wanted = lines.filter((line) => line.startsWith("# expect: "))
        .map((line) => line.slice("# expect: ".length));
      assert.deepEqual(messagesOf(lines.join("\n"), codes), wanted.sort());
    });
  }
}

Deno.test("analysis of cases: every code of objects and documents, and of Mesh alone, has a case", () => {
  const all = [DOCUMENT_CODES, OBJECT_CODES, OWN_CODES].flatMap((codes) => Object.keys(codes));
  const known = Object.keys(CODES) as Code[];
  assert.deepEqual(all.filter((code) => !produced.has(code) && known.includes(code as Code)), []);
});
