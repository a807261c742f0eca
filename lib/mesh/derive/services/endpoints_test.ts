import assert from "node:assert/strict";
import { meshOf } from "../../../../tests/support/mesh_fixture.ts";

Deno.test("a label names the workload, and the name below a headless host stays that of the object", () => {
  const { graph, services } = meshOf(`apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: db, namespace: shop}
spec:
  hosts: [db.example]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  workloadSelector: {labels: {app: db}}
---
apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: vm-1, namespace: shop}
spec: {address: 10.0.0.1, labels: {app: db, service.mesh.io/workload-name: mine}}
---
apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: vm-2, namespace: shop}
spec: {address: 10.0.0.2, labels: {app: db}}
`);
  const found = graph.peek(services.endpoints, { namespace: "shop", host: "db.example" });
  assert.deepEqual(found.map(({ workload, hostname }) => [workload, hostname]), [
    ["mine", "vm-1"],
    ["vm-2", undefined],
  ]);
});
