import assert from "node:assert/strict";
import { useEnvironment } from "../../../kit/env/mod.ts";
import { startIngest } from "../../../../tests/support/ingest_fixture.ts";
import { objectsOf } from "../../../../tests/support/mesh_fixture.ts";
import { proxyNode } from "../../../../tests/support/translation_fixture.ts";
import type { ProxyNode } from "../../model/mod.ts";
import { startRegistration } from "./registration.ts";

const GROUP = `apiVersion: networking.mesh.io/v1
kind: WorkloadGroup
metadata: {name: vms, namespace: one}
spec: {template: {serviceAccount: vm}}
`;

/** Health in the entries of a workload that connects and then reports a fault. */
function reportedHealth(
  environment: Readonly<Record<string, string>>,
  identity: ProxyNode["identity"] = "spiffe://cluster.local/ns/one/sa/vm",
): (string | undefined)[] {
  using _ = useEnvironment(environment);
  const health: (string | undefined)[] = [];
  const { ingest } = startIngest();
  ingest.subscribe((source, { upserts }) => {
    if (source === "registration") health.push(...upserts.map(({ meta }) => meta.health));
  });
  const files = ingest.open("file");
  using registration = startRegistration({ ingest, entryInUse: () => undefined });
  files.objects({ upserts: objectsOf(GROUP), deletes: [] });
  const node = proxyNode("one", {
    metadata: { AUTO_REGISTER_GROUP: "vms" },
    identity,
  });
  const stream = { id: "a", node };
  for (const observer of registration.observers) {
    observer.opened(stream);
    observer.reported({ stream, fault: "refused" });
  }
  return health;
}

Deno.test("workloads register and report, unless variables disable it", () => {
  assert.deepEqual(reportedHealth({}), ["healthy", "unhealthy"]);
  assert.deepEqual(reportedHealth({ PILOT_ENABLE_WORKLOAD_ENTRY_AUTOREGISTRATION: "false" }), []);
  assert.deepEqual(reportedHealth({ PILOT_ENABLE_WORKLOAD_ENTRY_HEALTHCHECKS: "false" }), [
    "healthy",
  ]);
});

Deno.test("MESH_WORKLOAD_ENTRY_VALIDATE_IDENTITY refuses workloads of another service account", () => {
  const other = "spiffe://cluster.local/ns/one/sa/other";
  const registered = (value: string): number =>
    reportedHealth({ MESH_WORKLOAD_ENTRY_VALIDATE_IDENTITY: value }, other).length;
  assert.equal(registered("true"), 0);
  assert.equal(registered("false"), 2);
});
