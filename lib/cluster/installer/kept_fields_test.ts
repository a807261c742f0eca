import assert from "node:assert/strict";
import type { OrchObject } from "../../kit/orch/mod.ts";
import { withoutKept } from "./kept_fields.ts";
import { MANAGER } from "./plan.ts";

const DEPLOYMENT = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "meshd", namespace: "mesh-system" },
  spec: { replicas: 1, paused: false },
};
const AUTOSCALER = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "any", namespace: "mesh-system" },
  spec: { scaleTargetRef: { kind: "Deployment", name: "meshd" } },
};

function live(manager: string, fieldsV1: unknown, fields: Record<string, unknown>): OrchObject {
  const managedFields = [{ manager, operation: "Apply", fieldsV1 }];
  return { ...DEPLOYMENT, ...fields, metadata: { ...DEPLOYMENT.metadata, managedFields } };
}

const specOf = (object: OrchObject): unknown => (object as typeof DEPLOYMENT).spec;

Deno.test("the number of replicas belongs to the autoscaler", () => {
  const all = [DEPLOYMENT, AUTOSCALER];
  const fields = { "f:spec": { "f:replicas": {} } };
  const scaled = { spec: { replicas: 4 } };
  assert.equal(withoutKept(DEPLOYMENT, undefined, [DEPLOYMENT]), DEPLOYMENT);
  assert.deepEqual(specOf(withoutKept(DEPLOYMENT, undefined, all)), { paused: false });
  assert.deepEqual(specOf(withoutKept(DEPLOYMENT, live("other", fields, scaled), all)), {
    paused: false,
  });
  // A field that only this manager owns would become its default if it were left out.
  assert.deepEqual(specOf(withoutKept(DEPLOYMENT, live(MANAGER, fields, scaled), all)), {
    ...{ paused: false, replicas: 4 },
  });
});

Deno.test("fields that the daemon wrote into a webhook stay, a changed policy of the plan does not", () => {
  const webhook = {
    name: "rev.validation.mesh.io",
    failurePolicy: "Ignore",
    clientConfig: { caBundle: "", service: { name: "meshd" } },
  };
  const object = { ...DEPLOYMENT, kind: "ValidatingWebhookConfiguration", webhooks: [webhook] };
  const place = {
    "f:webhooks": { 'k:{"name":"rev.validation.mesh.io"}': { "f:failurePolicy": {} } },
  };
  const policyOf = (found?: OrchObject): unknown =>
    (withoutKept(object, found, []) as typeof object).webhooks[0];
  const service = { service: { name: "meshd" } };
  const { name } = webhook;
  assert.deepEqual(policyOf(), { name, failurePolicy: "Ignore", clientConfig: service });
  assert.deepEqual(policyOf(live(MANAGER, place, {})), {
    ...{ name, failurePolicy: "Ignore", clientConfig: service },
  });
  assert.deepEqual(policyOf(live("daemon", place, {})), { name, clientConfig: service });
});
