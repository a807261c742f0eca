/**
 * The table of `docs/objects.md`: every label and annotation that the code reads is in it, each one in it
 * is read or warned of, and has a test.
 */
import assert from "node:assert/strict";
import { ANNOTATIONS } from "../lib/insight/analyze/mod.ts";
import { unlistedKeys, WITHOUT_EFFECT } from "./object_keys.ts";
import { NO_KEYS, OTHER_OBJECTS } from "./objects/exempt.ts";
import { covers, readFields } from "./objects/fields.ts";
import { codeFiles, hasField, hasText, isTest, names, withoutComments } from "./objects/keys.ts";
import { type ObjectRow, OBJECTS } from "./objects/rows.ts";
import { objectsPage, PAGE, rowsOf } from "./objects_page.ts";
import { fromFileUrl, join } from "./paths.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));

const ROWS: ReadonlyMap<string, readonly ObjectRow[]> = Map.groupBy(
  OBJECTS.flatMap(({ labels, annotations }) => [...labels, ...annotations]),
  ({ name }) => name,
);
const CODE = await codeFiles();
/** The code that acts by keys; analyzers only warn. */
const ACTING = CODE.filter(({ path }) => !path.startsWith("lib/insight/analyze/"));

Deno.test("each label and annotation that the code reads is in the table", () => {
  assert.deepEqual(unlistedKeys(CODE), []);
});

Deno.test("a key without a row is named with its place and the remedy; other texts are not", () => {
  const text = `const A = "sidecar.mesh.io/logLevel";

// "sidecar.mesh.io/comment"
const B = "sidecar.mesh.io/unknownKey";
const C = "networking.mesh.io/v1alpha3";
`;
  const of = (path: string) => unlistedKeys([{ path, text: withoutComments(text) }]);
  assert.deepEqual(of("lib/cluster/inject/x.ts").map((one) => one.split(": ")[0]), [
    "lib/cluster/inject/x.ts:4",
  ]);
  assert.match(of("cmd/x.ts")[0]!, /unknownKey .*scripts\/objects\/rows\.ts/);
  assert.deepEqual(of("lib/kit/orch/x.ts"), []);
});

Deno.test("each exemption is of a text in the code, and in no row", () => {
  for (const key of [...Object.keys(NO_KEYS), ...Object.keys(OTHER_OBJECTS)]) {
    assert.ok(CODE.some(({ text }) => text.includes(key.split("/").at(-1)!)), key);
    assert.ok(!ROWS.has(key) && !WITHOUT_EFFECT.has(key), key);
  }
});

Deno.test("each label and annotation of the table is read, or it is warned that nothing reads it", () => {
  const ofAnalysis = ["galley.mesh.io/analyze-suppress"];
  const unread = [...ROWS.keys()].filter((key) => !ofAnalysis.includes(key)).filter((key) =>
    !ACTING.some((file) => names(file, key))
  );
  assert.deepEqual(unread, []);
  for (const key of WITHOUT_EFFECT) {
    assert.ok(!ROWS.has(key), `${key} has an effect and is warned of`);
  }
});

Deno.test("each annotation that the analysis knows acts, is warned of, or is of other objects", () => {
  const known = (key: string) =>
    ROWS.has(key) || WITHOUT_EFFECT.has(key) || OTHER_OBJECTS[key] !== undefined;
  assert.deepEqual([...ANNOTATIONS.keys()].filter((key) => !known(key)), []);
});

Deno.test("each row of annotations of the mesh is known to the analysis", () => {
  const ours = OBJECTS.flatMap(({ kind, annotations }) =>
    ["Service", "Pod", "Namespace"].includes(kind) ? annotations : []
  ).map(({ name }) => name).filter((name) => /(^|\.)mesh\.io\//.test(name));
  // Not in the table of the field.
  const own = ["sidecar.mesh.io/capNetBindService"];
  assert.deepEqual(ours.filter((name) => !ANNOTATIONS.has(name)).sort(), own);
});

Deno.test("each field that the code reads of an object of the orchestrator is in the table", () => {
  const rows = new Map(OBJECTS.map(({ kind, fields }) => [kind, fields]));
  const unlisted = readFields(CODE)
    .filter(({ kind, path }) => !rows.get(kind)?.some(({ name }) => covers(name, path)))
    .map(({ kind, path }) => `${kind} ${path}`);
  assert.deepEqual([...new Set(unlisted)], [], "add a row to scripts/objects/rows.ts");
});

Deno.test("fields of interfaces are found with their paths", () => {
  const text = `interface ApiPort { readonly port: number; readonly name?: string }
export interface ApiService extends ListItem {
  readonly spec?: {
    readonly ports?: readonly ApiPort[];
    readonly selector?: Readonly<Record<string, string>>;
  };
  readonly status?: { readonly ip?: string } | null;
}
`;
  const path = "lib/mesh/sources/orchestrator/services/api.ts";
  assert.deepEqual(readFields([{ path, text }]).map((one) => one.path), [
    "spec.ports.port",
    "spec.ports.name",
    "spec.selector",
    "status.ip",
  ]);
  assert.deepEqual(readFields([{ path: "cmd/x.ts", text }]), []);
  const unknown = text.replace("ApiService", "ApiOther");
  assert.throws(() => readFields([{ path, text: unknown }]), /ApiOther has no kind/);
  assert.ok(covers("spec.ports[].port", "spec.ports.port"));
  assert.ok(covers("status.loadBalancer", "status.loadBalancer.ingress.ip"));
  assert.ok(!covers("spec.ports[].port", "spec.ports.portable"));
});

Deno.test("each row has a test that runs and mentions it", async () => {
  const faults: string[] = [];
  for (const table of OBJECTS) {
    for (const part of ["labels", "annotations", "fields"] as const) {
      for (const { name, test, mention } of rowsOf(table, part)) {
        const row = `${table.kind} ${name}`;
        const text = await Deno.readTextFile(join(ROOT, test)).catch(() => undefined);
        if (text === undefined || !await isTest(test)) faults.push(`${row}: ${test} is no test`);
        else if (!(mention === undefined ? hasRow(text, part, name) : hasText(text, mention))) {
          faults.push(`${row}: not in ${test}`);
        }
      }
    }
  }
  assert.deepEqual(faults, []);
});

function hasRow(text: string, part: "labels" | "annotations" | "fields", name: string): boolean {
  return part === "fields" ? hasField(text, name) : names({ text }, name) || hasText(text, name);
}

Deno.test("a field is found as a word, near the field above it, and not in a comment", () => {
  assert.ok(hasField("ports: [{ port: 80 }]", "spec.ports[].port"));
  assert.ok(!hasField("ports: [{ portable: 80 }]", "spec.ports[].port"));
  assert.ok(!hasField("const port = 80;", "spec.ports[].port"));
  assert.ok(!hasField("  // ports: [{ port: 80 }]", "spec.ports[].port"));
  assert.ok(hasField("found.status?.podIP", "status.podIP"));
  assert.ok(hasField('{ "tls.key": "x" }', "data[tls.key]"));
  assert.ok(!hasField('{ "other.tls.key": "x" }', "data[tls.key]"));
});

Deno.test("docs/objects.md has the rows of the table", async () => {
  assert.equal(await Deno.readTextFile(PAGE), objectsPage(), "run `deno task docs`");
});

Deno.test("a key is found whole, or as its prefix and its name", () => {
  const key = "sidecar.mesh.io/logLevel";
  assert.ok(names({ text: 'const A = "sidecar.mesh.io/logLevel";' }, key));
  assert.ok(names({ text: 'const A = "sidecar.mesh.io/"; read(A + "logLevel");' }, key));
  assert.ok(!names({ text: 'const A = "sidecar.mesh.io/logLevels";' }, key));
  assert.ok(!names({ text: 'const A = "status.sidecar.mesh.io/"; read(A + "logLevel");' }, key));
});
