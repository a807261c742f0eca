/** Events about pods and nodes that concern the Services that refer to them. */
import assert from "node:assert/strict";
import { podFacts, withAmbient } from "./api.ts";
import { nodeFacts } from "./locality.ts";
import { lastNodes, lastPods } from "./last_facts.ts";

const none = { upserts: [], deletes: [] };

function pod(labels: Record<string, string>, status: string) {
  return podFacts({
    metadata: { name: "p", namespace: "shop", labels },
    status: { podIP: "10.0.0.1", conditions: [{ type: "Ready", status }] },
  } as never);
}

Deno.test("endpoints do not depend on the readiness of pods, but on their labels", () => {
  const pods = lastPods();
  const changed = (...upserts: ReturnType<typeof pod>[]) => pods.changed({ ...none, upserts });
  assert.deepEqual(changed(pod({ app: "a" }, "False")), ["shop p"]);
  assert.deepEqual(changed(pod({ app: "a" }, "True")), []);
  assert.deepEqual(changed(pod({ app: "b" }, "True")), ["shop p"]);
  const deletes = [{ namespace: "shop", name: "p" }];
  assert.deepEqual(pods.changed({ ...none, deletes }), ["shop p"]);
  assert.deepEqual(pods.changed({ ...none, deletes }), []);
});

Deno.test("endpoints depend on redirection to the node proxy", () => {
  const pods = lastPods();
  const changed = (value: string) => {
    const item = { metadata: { name: "p", annotations: { "ambient.mesh.io/redirection": value } } };
    return pods.changed({ ...none, upserts: [withAmbient(pod({}, "True"), item as never)] });
  };
  assert.deepEqual(changed("pending"), ["shop p"]);
  assert.deepEqual(changed("pending"), []);
  assert.deepEqual(changed("enabled"), ["shop p"]);
  assert.deepEqual(changed(""), ["shop p"]);
});

Deno.test("endpoints depend on the place of nodes, not on their other labels", () => {
  const nodes = lastNodes();
  const changed = (labels: Record<string, string>) =>
    nodes.changed({ ...none, upserts: [nodeFacts({ metadata: { name: "n1", labels } })] });
  assert.deepEqual(changed({}), [" n1"]);
  assert.deepEqual(changed({ pool: "b" }), []);
  assert.deepEqual(changed({ "topology.kubernetes.io/zone": "z2" }), [" n1"]);
});
