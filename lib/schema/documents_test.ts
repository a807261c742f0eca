import assert from "node:assert/strict";
import { KINDS, LATER_KINDS, parseConfigDocuments } from "./mod.ts";

const GOOD = `apiVersion: networking.mesh.io/v1beta1
kind: WorkloadEntry
metadata:
  name: a
spec: {address: 1.2.3.4}
`;

function said(text: string): string[] {
  return parseConfigDocuments(text, "f.yaml").problems
    .map(({ code, path, line, column }) => `${code} ${path} ${line}:${column}`);
}

Deno.test("documents: an object with its metadata, defaulted", () => {
  const text = `# comment
---
apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata:
  name: w.1
  labels: {b: "2", a: "1"}
  annotations: {"mesh.io/x": "any text\\n"}
  creationTimestamp: 2024-01-31T12:00:00Z
  uid: x
spec:
  address: 1.2.3.4
status: {anything: [goes]}
`;
  const { objects, problems, warnings } = parseConfigDocuments(text, "f.yaml");
  assert.deepEqual([problems, warnings], [[], []]);
  const [object] = objects;
  assert.equal(object?.kind, "WorkloadEntry");
  assert.deepEqual(object?.meta, {
    namespace: "default",
    name: "w.1",
    labels: { a: "1", b: "2" },
    annotations: { "mesh.io/x": "any text\n" },
    creationTime: Date.UTC(2024, 0, 31, 12),
    line: 3,
  });
  assert.equal((object?.spec as { address?: string }).address, "1.2.3.4");
});

Deno.test("documents: what is wrong around the specification is told with its place", () => {
  const cases: [string, string, ...string[]][] = [
    ["no name", GOOD.replace("name: a", "labels: {}"), "required metadata.name 3:1"],
    ["no metadata", GOOD.replace("metadata:\n  name: a\n", ""), "required metadata 1:1"],
    ["bad name", GOOD.replace("name: a", "name: A_b"), "invalid-name metadata.name 4:9"],
    ["number as name", GOOD.replace("name: a", "name: 3"), "wrong-type metadata.name 4:9"],
    [
      "bad namespace",
      GOOD.replace("name: a", "name: a\n  namespace: a.b"),
      "invalid-name metadata.namespace 5:14",
    ],
    [
      "labels",
      GOOD.replace("name: a", 'name: a\n  labels: {"-": x, v: "a b", n: 1}'),
      "wrong-type metadata.labels.n 5:33",
      'invalid-label metadata.labels["-"] 5:12',
      "invalid-label metadata.labels.v 5:23",
    ],
    [
      "metadata field",
      GOOD.replace("name: a", "name: a\n  label: {}"),
      "unknown-field metadata.label 5:3",
    ],
    ["top-level key", `${GOOD}data: {}\n`, "unknown-field data 6:1"],
    ["no spec", GOOD.replace("spec: {address: 1.2.3.4}\n", ""), "required spec 1:1"],
    ["empty spec", GOOD.replace("{address: 1.2.3.4}", ""), "required spec 5:1"],
    ["version", GOOD.replace("v1beta1", "v2"), "unknown-version apiVersion 1:13"],
    ["no kind", GOOD.replace("kind: WorkloadEntry\n", ""), "required kind 1:1"],
    [
      "no apiVersion",
      GOOD.replace("apiVersion: networking.mesh.io/v1beta1\n", ""),
      "required apiVersion 1:1",
    ],
    ["kind", GOOD.replace("WorkloadEntry", "WorkloadEntri"), "unknown-kind kind 2:7"],
    ["group", GOOD.replace("networking.mesh.io", "mesh.io"), "unknown-kind kind 2:7"],
    [
      "later kind",
      GOOD.replace("networking", "extensions").replace("WorkloadEntry", "TrafficExtension"),
      "unsupported-kind kind 2:7",
    ],
    ["no map", "just text", "wrong-type  1:1"],
    ["list", "- a", "wrong-type  1:1"],
    [
      "time",
      GOOD.replace("name: a", "name: a\n  creationTimestamp: now"),
      "wrong-type metadata.creationTimestamp 5:22",
    ],
  ];
  for (const [name, text, ...expected] of cases) assert.deepEqual(said(text), expected, name);
});

Deno.test("documents: kinds are told apart", () => {
  const unknown =
    parseConfigDocuments(GOOD.replace("WorkloadEntry", "Deployment"), "f").problems[0];
  assert.match(unknown?.message ?? "", /kind not known: Deployment/);
  for (const { kind } of KINDS) assert.ok(unknown?.remedy.includes(kind), kind);
  const typo =
    parseConfigDocuments(GOOD.replace("WorkloadEntry", "WorkloadEntri"), "f").problems[0];
  assert.match(typo?.remedy ?? "", /^Did you mean WorkloadEntry\?/);
  const group = parseConfigDocuments(GOOD.replace("networking", "security"), "f").problems[0];
  assert.match(group?.remedy ?? "", /networking\.mesh\.io/);
  for (const { kind, group, versions } of LATER_KINDS) {
    const text = `apiVersion: ${group}/${
      versions[0]
    }\nkind: ${kind}\nmetadata: {name: x}\nspec: {}\n`;
    const [problem] = parseConfigDocuments(text, "f").problems;
    assert.equal(problem?.code, "unsupported-kind", kind);
    assert.match(problem?.message ?? "", /not supported yet/);
  }
});

Deno.test("documents: a bad one is set aside, the others are read", () => {
  const bad = GOOD.replace("1.2.3.4", "1.2.3.4, weigth: 1, ports: {http: 0}");
  const text = [GOOD, bad, "x: [\n", GOOD.replace("name: a", "name: z")].join("---\n");
  const { objects, problems } = parseConfigDocuments(text, "f.yaml");
  assert.deepEqual(objects.map(({ meta }) => [meta.name, meta.line]), [["a", 1], ["z", 15]]);
  assert.deepEqual(problems.map(({ line, code, object }) => [line, code, object?.name]), [
    [11, "unknown-field", "a"],
    [14, "yaml-syntax", undefined],
  ]);
});

Deno.test("documents: the digest is that of the content", () => {
  const digest = (text: string) => parseConfigDocuments(text, "f").objects[0]?.digest;
  const base = digest(GOOD);
  const same = [
    `# c\n${GOOD}`,
    GOOD.replace("address: 1.2.3.4", 'labels: {}, "address": "1.2.3.4", weight: 0'),
    GOOD.replace("v1beta1", "v1"),
  ];
  for (const text of same) assert.equal(digest(text), base, text);
  const other = [
    GOOD.replace("1.2.3.4", "1.2.3.5"),
    GOOD.replace("name: a", "name: a\n  labels: {x: z}"),
    GOOD.replace("name: a", "name: a\n  annotations: {x: z}"),
  ];
  assert.equal(new Set([base, ...other.map(digest)]).size, 4);
  const ports = (order: string) => digest(GOOD.replace("1.2.3.4", `1.2.3.4, ports: ${order}`));
  assert.equal(ports("{a: 1, b: 2}"), ports("{b: 2, a: 1}"));
});

Deno.test("documents: aliases work across a document", () => {
  const text = GOOD.replace("name: a", "name: a\n  labels: &l {app: x}")
    .replace("1.2.3.4", "1.2.3.4, labels: *l");
  assert.deepEqual(said(text), []);
});

Deno.test("documents: a thousand are read in well under a second", () => {
  const text = Array.from({ length: 1000 }, (_, i) => GOOD.replace("name: a", `name: a${i}`)).join(
    "---\n",
  );
  const start = performance.now();
  assert.equal(parseConfigDocuments(text, "f").objects.length, 1000);
  const ms = performance.now() - start;
  assert.ok(ms < 1000, `${ms} ms`);
});
