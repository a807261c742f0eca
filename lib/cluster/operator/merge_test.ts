/** Laws of merging, over random documents. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { toYaml } from "../../kit/text/mod.ts";
import { planned } from "../../../tests/support/operator.ts";
import { mergeOver } from "./merge.ts";
import { type Tree, withValue } from "./tree.ts";

/** Documents in which a name has one type, as it has in files that are valid. */
const { tree: TREE } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.record({
    a: fc.oneof({ maxDepth: 3, depthSize: "small" }, fc.constant({}), tie("tree")),
    b: fc.oneof({ maxDepth: 3, depthSize: "small" }, fc.constant({}), tie("tree")),
    flag: fc.boolean(),
    list: fc.array(fc.integer(), { maxLength: 2 }),
    text: fc.string({ maxLength: 2 }),
  }, { requiredKeys: [], noNullPrototype: true }),
}));

Deno.test("merging with nothing, or with itself, changes nothing", () => {
  fc.assert(fc.property(TREE, (one) => {
    assert.deepEqual(mergeOver(one, {}), one);
    assert.deepEqual(mergeOver({}, one), one);
    assert.deepEqual(mergeOver(one, one), one);
  }));
});

Deno.test("merging is associative, and does not change its arguments", () => {
  fc.assert(fc.property(TREE, TREE, TREE, (a, b, c) => {
    const copies = structuredClone([a, b, c]);
    assert.deepEqual(mergeOver(mergeOver(a, b), c), mergeOver(a, mergeOver(b, c)));
    assert.deepEqual([a, b, c], copies);
  }));
});

Deno.test("null takes a field away, and in values it stays for the chart", () => {
  assert.deepEqual(mergeOver({ a: { b: 1, c: 2 } }, { a: { b: null } }), { a: { c: 2 } });
  const values = (a: unknown) => ({ spec: { values: { a } } });
  assert.deepEqual(mergeOver(values({ b: 1 }), values(null)), values(null));
});

Deno.test("gateways merge by name, variables are replaced by name, other lists as a whole", () => {
  const components = (value: Tree) => ({ spec: { components: value } });
  const gateways = (...list: Tree[]) => components({ ingressGateways: list });
  assert.deepEqual(
    mergeOver(
      gateways({ name: "a", enabled: true, namespace: "x" }, { name: "b" }),
      gateways({ name: "b", enabled: false }, { name: "a", enabled: false }, { name: "c" }),
    ),
    gateways({ name: "a", enabled: false, namespace: "x" }, { name: "b", enabled: false }, {
      name: "c",
    }),
  );
  const k8s = (value: Tree) => components({ pilot: { k8s: value } });
  assert.deepEqual(
    mergeOver(
      k8s({ env: [{ name: "A", value: "1" }], tolerations: [{ key: "a" }] }),
      k8s({ env: [{ name: "A", valueFrom: {} }, { name: "B" }], tolerations: [{ key: "b" }] }),
    ),
    k8s({ env: [{ name: "A", valueFrom: {} }, { name: "B" }], tolerations: [{ key: "b" }] }),
  );
});

/** Fields and values that a setting and a file can give alike. */
const SETTINGS: readonly (readonly [path: readonly string[], values: readonly unknown[]])[] = [
  [["profile"], ["minimal", "demo", "empty"]],
  [["hub"], ["own", "10"]],
  [["tag"], ["1.10", "x"]],
  [["revision"], ["canary", "default"]],
  [["namespace"], ["other"]],
  [["meshConfig", "trustDomain"], ["own.example"]],
  [["meshConfig", "defaultConfig", "concurrency"], [0, 3]],
  [["values", "global", "platform"], ["gke", "openshift"]],
  [["values", "pilot", "autoscaleEnabled"], [true, false]],
  [["values", "pilot", "env", "A"], ["x"]],
  [["components", "pilot", "k8s", "replicaCount"], [1, 2]],
  [["components", "pilot", "enabled"], [true, false]],
];

Deno.test("a setting does what the same field of a last file does", () => {
  const choice = fc.uniqueArray(fc.constantFrom(...SETTINGS), { maxLength: 5 })
    .chain((rows) =>
      fc.tuple(
        ...rows.map(([path, values]) =>
          fc.constantFrom(...values).map((value) => ({ path, value }))
        ),
      )
    );
  fc.assert(
    fc.property(choice, (chosen) => {
      const set = chosen.map(({ path, value }) => `${path.join(".")}=${value}`);
      const spec = chosen.reduce<Tree>((at, { path, value }) => withValue(at, path, value), {});
      const text = toYaml({ apiVersion: "install.mesh.io/v1alpha1", kind: "MeshOperator", spec });
      const [bySet, byFile] = [planned({ set }), planned({ files: [{ name: "a.yaml", text }] })];
      assert.deepEqual(bySet.problems, []);
      assert.deepEqual(bySet.operator, byFile.operator);
      assert.deepEqual(bySet.components, byFile.components);
    }),
    { numRuns: 40 },
  );
});
