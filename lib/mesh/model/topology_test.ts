import assert from "node:assert/strict";
import { localityFromLabels, NODE_LABELS, nodeLabels } from "./topology.ts";

Deno.test("labels with a locality: topology.mesh.io/locality, then mesh-locality", () => {
  const first = { "topology.mesh.io/locality": "r1.z1.s1" };
  const second = { "mesh-locality": "r2/z2" };
  assert.equal(localityFromLabels({ ...first, ...second }), "r1/z1/s1");
  assert.equal(localityFromLabels(second), "r2/z2");
  assert.equal(localityFromLabels({ ...second, "topology.mesh.io/locality": "" }), "r2/z2");
  assert.equal(localityFromLabels({}), "");
});

Deno.test("the name of the Node is the label kubernetes.io/hostname, the last one that services compare", () => {
  assert.deepEqual(nodeLabels("n1"), { "kubernetes.io/hostname": "n1" });
  assert.deepEqual(nodeLabels(""), {});
  assert.equal(NODE_LABELS.at(-1), "kubernetes.io/hostname");
});
