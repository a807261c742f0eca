import assert from "node:assert/strict";
import { useEnvironment } from "../../lib/env/mod.ts";
import type { ObservedStream } from "../../lib/serve/mod.ts";
import { parseConfigDocuments } from "../../lib/schema/mod.ts";
import { proxyNode } from "../../tests/support/translation_fixture.ts";
import { startRegistration } from "./registration.ts";

const GROUP = `apiVersion: networking.mesh.io/v1
kind: WorkloadGroup
metadata: {name: vms, namespace: one}
spec: {template: {serviceAccount: vm}}
`;

/** What becomes of a workload that connects and then says that it is ill. */
function heard(environment: Readonly<Record<string, string>>): (string | undefined)[] {
  using _ = useEnvironment(environment);
  const told: (string | undefined)[] = [];
  const registration = startRegistration(() => false, ({ upserts }) => {
    told.push(...upserts.map(({ meta }) => meta.health));
  });
  const origin = { source: "file", file: "a.yaml", line: 1 };
  const upserts = parseConfigDocuments(GROUP, "a.yaml").objects
    .map(({ kind, meta, ...rest }) => ({
      ...rest,
      meta: { ...meta, kind, generation: 1, origin },
    }));
  registration.follow({ upserts, deletes: [] });
  const node = proxyNode("one", { metadata: { AUTO_REGISTER_GROUP: "vms" } });
  const stream: ObservedStream = { id: "a", node, variant: "delta", binding: { classKey: "" } };
  for (const observer of registration.observers) {
    observer.opened?.(stream);
    observer.reported?.({ stream, fault: "refused" });
  }
  registration.close();
  return told;
}

Deno.test("workloads register and report, unless variables say otherwise", () => {
  assert.deepEqual(heard({}), ["healthy", "unhealthy"]);
  assert.deepEqual(heard({ PILOT_ENABLE_WORKLOAD_ENTRY_AUTOREGISTRATION: "false" }), []);
  assert.deepEqual(heard({ PILOT_ENABLE_WORKLOAD_ENTRY_HEALTHCHECKS: "false" }), ["healthy"]);
});
