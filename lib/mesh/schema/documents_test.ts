import assert from "node:assert/strict";
import {
  checkObject,
  eachDocument,
  eachPiece,
  hintWorkloads,
  KINDS,
  parseConfigDocuments,
  type ReadOptions,
  UNSUPPORTED_KINDS,
} from "./mod.ts";

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

Deno.test("documents: problems outside the specification have positions", () => {
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
      "a session's cookie",
      GOOD.replace("name: a", 'name: a\n  labels: {mesh.io/persistent-session: "a b:/c"}'),
      'invalid-label metadata.labels["mesh.io/persistent-session"] 5:40',
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

Deno.test("documents: kinds are distinguished", () => {
  const unknown =
    parseConfigDocuments(GOOD.replace("WorkloadEntry", "Deployment"), "f").problems[0];
  assert.match(unknown?.message ?? "", /kind not known: Deployment/);
  for (const { kind } of KINDS) assert.ok(unknown?.remedy.includes(kind), kind);
  const typo =
    parseConfigDocuments(GOOD.replace("WorkloadEntry", "WorkloadEntri"), "f").problems[0];
  assert.match(typo?.remedy ?? "", /^Did you mean WorkloadEntry\?/);
  const group = parseConfigDocuments(GOOD.replace("networking", "security"), "f").problems[0];
  assert.match(group?.remedy ?? "", /networking\.mesh\.io/);
  for (const { kind, group, versions } of UNSUPPORTED_KINDS) {
    const text = `apiVersion: ${group}/${
      versions[0]
    }\nkind: ${kind}\nmetadata: {name: x}\nspec: {}\n`;
    const { problems, warnings, objects } = parseConfigDocuments(text, "f");
    const own = group.endsWith(".mesh.io");
    const [finding] = own ? problems : warnings;
    assert.equal(finding?.code, "unsupported-kind", kind);
    assert.match(finding?.message ?? "", own ? /is not supported$/ : /is not implemented/);
    assert.deepEqual([problems.length, objects.length], [own ? 1 : 0, 0], kind);
  }
});

Deno.test("documents: a bad one is rejected, the others are read", () => {
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

Deno.test("documents: a thousand are read within seconds", () => {
  const text = Array.from({ length: 1000 }, (_, i) => GOOD.replace("name: a", `name: a${i}`)).join(
    "---\n",
  );
  const start = performance.now();
  assert.equal(parseConfigDocuments(text, "f").objects.length, 1000);
  const ms = performance.now() - start;
  // 0.2 s on an idle core.
  assert.ok(ms < 5000, `${ms} ms`);
});

Deno.test("documents: a list's items are objects of their own, at their lines", () => {
  const item = (name: string, address: string) =>
    `- apiVersion: networking.mesh.io/v1\n  kind: WorkloadEntry\n  metadata: {name: ${name}}\n` +
    `  spec: {address: ${address}}\n`;
  const text = `apiVersion: v1\nkind: List\nitems:\n${item("a", "1.2.3.4")}${item("b", "x_y")}`;
  const { objects, problems } = parseConfigDocuments(text, "f");
  assert.deepEqual(objects.map(({ meta }) => [meta.name, meta.line]), [["a", 4]]);
  assert.deepEqual(said(text), ["invalid-address spec.address 11:19"]);
  assert.equal(problems[0]?.object?.name, "b");
  assert.deepEqual(said("apiVersion: v1\nkind: List\nitems: []\n"), []);
});

Deno.test("documents: objects without namespace get the one that is asked for", () => {
  const namespaceOf = (text: string) =>
    parseConfigDocuments(text, "f", undefined, { namespace: "n" }).objects[0]?.meta.namespace;
  assert.equal(namespaceOf(GOOD), "n");
  assert.equal(namespaceOf(GOOD.replace("name: a", "name: a\n  namespace: own")), "own");
});

/** Problems and warnings for a text if foreign objects are accepted with hints. */
function hinted(text: string): [problems: string[], warnings: string[]] {
  const options: ReadOptions = { foreign: hintWorkloads(new Set(["mesh-system"])) };
  const { problems, warnings } = parseConfigDocuments(text, "f", undefined, options);
  const shown = ({ code, path, line }: { code: string; path: string; line: number }) =>
    `${code} ${path} ${line}`;
  return [problems.map(shown), warnings.map(shown)];
}

Deno.test("foreign objects: let through, with hints on workloads", () => {
  const deployment = (labels: string, namespace = "a") =>
    `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: ${namespace}}\n` +
    `spec:\n  template:\n    metadata: {labels: ${labels}}\n`;
  const labels = "workload-label spec.template.metadata.labels 6";
  const cases: [string, string[]][] = [
    [deployment("{app: a, version: v1}"), []],
    [deployment("{app: a}"), [labels]],
    [deployment("{}"), [labels, labels]],
    [deployment("{}", "mesh-system"), []],
    ["apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n", []],
    ["apiVersion: v1\nkind: Service\nmetadata: 3\nspec: [x]\n", []],
  ];
  for (const [text, warnings] of cases) assert.deepEqual(hinted(text), [[], warnings], text);
  const typo = GOOD.replace("WorkloadEntry", "WorkloadEntri");
  assert.deepEqual(hinted(typo), [["unknown-kind kind 2"], []]);
});

Deno.test("foreign objects: those of Istio are refused with their names here", () => {
  const text = (apiVersion: string, kind: string) =>
    `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: a}\nspec: {}\n`;
  const cases: [apiVersion: string, kind: string, message: string, remedy: RegExp][] = [
    [
      "networking.istio.io/v1",
      "VirtualService",
      "renamed: networking.mesh.io",
      /apiVersion: networking\.mesh\.io\/v1 and kind: VirtualService/,
    ],
    [
      "networking.istio.io/v1alpha3",
      "EnvoyFilter",
      "renamed: networking.mesh.io, EnvoyFilter is DataproxyFilter",
      /kind: DataproxyFilter/,
    ],
    ["security.istio.io/v1", "Sidecar", "renamed: security.mesh.io", /has no kind Sidecar/],
    [
      "install.istio.io/v1alpha1",
      "IstioOperator",
      "renamed: install.mesh.io, IstioOperator is MeshOperator",
      /Remove the object/,
    ],
  ];
  for (const [apiVersion, kind, message, remedy] of cases) {
    for (const options of [{}, { foreign: hintWorkloads(new Set()) }]) {
      const { problems: [first, ...others], objects } = parseConfigDocuments(
        text(apiVersion, kind),
        "f",
        undefined,
        options,
      );
      assert.deepEqual([objects, others], [[], []]);
      assert.deepEqual([first?.code, first?.message, first?.line], ["renamed", message, 1]);
      assert.match(first?.remedy ?? "", remedy);
    }
  }
});

Deno.test("foreign objects: ignored with a warning; a kind of the mesh under their group is refused", () => {
  const [foreign, ours] = ["Deployment", "VirtualService"].map((kind) =>
    parseConfigDocuments(
      GOOD.replace("networking.mesh.io/v1beta1", "apps/v1").replace("WorkloadEntry", kind),
      "f",
    )
  );
  assert.deepEqual(foreign!.problems, []);
  assert.match(foreign!.warnings[0]!.message, /^Deployment of apps\/v1 .* is ignored$/);
  assert.equal(ours!.problems[0]?.code, "unknown-kind");
  assert.match(ours!.problems[0]!.remedy, /VirtualService belongs to networking\.mesh\.io/);
});

Deno.test("objects that are plain values are checked by the same rules", () => {
  const value = (spec: unknown) => ({
    apiVersion: "networking.mesh.io/v1",
    kind: "WorkloadEntry",
    metadata: { name: "a", namespace: "n" },
    spec,
  });
  const balancer = { simple: "LEAST_CONN" };
  const rule = { host: "a.example", trafficPolicy: { loadBalancer: balancer } };
  const good = checkObject({ ...value(rule), kind: "DestinationRule" });
  assert.deepEqual(good.problems, []);
  assert.deepEqual(good.identity, { kind: "DestinationRule", namespace: "n", name: "a" });
  assert.equal(good.object?.meta.name, "a");
  assert.deepEqual(good.warnings.map(({ path }) => path), [
    "spec.trafficPolicy.loadBalancer.simple",
  ]);
  const bad = checkObject(value({ address: "a_b", weigth: 1 }));
  assert.equal(bad.object, undefined);
  assert.deepEqual(bad.problems.map(({ code, path }) => `${code} ${path}`), [
    "unknown-field spec.weigth",
  ]);
  assert.deepEqual(checkObject([]).problems.map(({ code }) => code), ["wrong-type"]);
});

Deno.test("documents: there are pauses while a document is parsed, and while its object is read", () => {
  const text = `${GOOD}---\n${GOOD.replace("WorkloadEntry", "Nothing")}`;
  const pieces = [...eachPiece(text, "f")];
  const parsing = Array(3).fill("pause");
  const reading = Array(3).fill("pause");
  const second = GOOD.split("\n").length + 1;
  // The second document has no kind, and so no fields to read.
  const expected = [...parsing, ...reading, 1, ...parsing, second];
  assert.deepEqual(pieces.map((piece) => piece?.line ?? "pause"), expected);
  assert.deepEqual(pieces.filter((piece) => piece !== undefined), [...eachDocument(text, "f")]);
});
