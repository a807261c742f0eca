import assert from "node:assert/strict";
import { selfEnvironment, subjectParts } from "./self.ts";

const node = (metadata: Record<string, unknown>) => ({
  id: "sidecar~10.0.0.1~a.one~one.svc.cluster.local",
  cluster: "shop.one",
  locality: {},
  metadata: metadata as never,
});

Deno.test("the node's metadata gives the properties of the workload", () => {
  const own = selfEnvironment(
    node({
      NAME: "shop-7d4b9c6f5-x2v8q",
      NAMESPACE: "one",
      CLUSTER_ID: "c1",
      MESH_ID: "m",
      LABELS: { app: "shop", version: "v1", "service.mesh.io/canonical-name": "store" },
    }),
    {},
  );
  assert.deepEqual(own, {
    MESH_SELF_WORKLOAD: "shop",
    MESH_SELF_NAMESPACE: "one",
    MESH_SELF_SERVICE: "store",
    MESH_SELF_REVISION: "v1",
    MESH_SELF_CLUSTER: "c1",
    MESH_SELF_APP: "shop",
    MESH_SELF_VERSION: "v1",
    MESH_SELF_LABEL: "shop;one;store;v1;c1;shop;v1",
    MESH_SELF_MESH: "m",
    OTEL_RESOURCE_ATTRIBUTES: "service.name=shop.one",
  });
});

Deno.test("missing metadata leaves properties of the workload unset", () => {
  const cases: [metadata: Record<string, unknown>, label: string][] = [
    [{}, "unknown;unknown;unknown;latest;unknown;unknown;unknown"],
    [{ NAME: "db-0", NAMESPACE: "n" }, "db;n;db;latest;unknown;unknown;unknown"],
    [{ NAME: "vm", WORKLOAD_NAME: "w", NAMESPACE: "n" }, "w;n;w;latest;unknown;unknown;unknown"],
    [{ NAME: "a;b", NAMESPACE: "n" }, "a_b;n;a_b;latest;unknown;unknown;unknown"],
  ];
  for (const [metadata, label] of cases) {
    assert.equal(selfEnvironment(node(metadata), {}).MESH_SELF_LABEL, label);
    const parts = subjectParts(node(metadata)).map((part) => part.replace(";", "_"));
    assert.deepEqual(parts, label.split(";").toSpliced(1, 1));
  }
});

Deno.test("attributes that are given stay", () => {
  const own = selfEnvironment(node({}), { OTEL_RESOURCE_ATTRIBUTES: "service.name=mine" });
  assert.equal(own.OTEL_RESOURCE_ATTRIBUTES, undefined);
});
