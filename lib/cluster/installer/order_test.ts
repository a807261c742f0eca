import assert from "node:assert/strict";
import { inStages, stageOf } from "./order.ts";
import { phasesOf } from "./plan.ts";

Deno.test("objects are applied in an order in which each finds what it needs", () => {
  const kinds = [
    ["admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"],
    ["networking.mesh.io/v1", "DataproxyFilter"],
    ["apps/v1", "Deployment"],
    ["autoscaling/v2", "HorizontalPodAutoscaler"],
    ["v1", "Service"],
    ["v1", "ConfigMap"],
    ["rbac.authorization.k8s.io/v1", "RoleBinding"],
    ["rbac.authorization.k8s.io/v1", "ClusterRole"],
    ["v1", "ServiceAccount"],
    ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
    ["v1", "Namespace"],
  ].map(([apiVersion, kind]) => ({ apiVersion: apiVersion!, kind: kind! }));
  const order = inStages(kinds).flat().map(({ kind }) => kind);
  assert.deepEqual(order, [
    "Namespace",
    "CustomResourceDefinition",
    "ServiceAccount",
    "ClusterRole",
    "RoleBinding",
    "ConfigMap",
    "Service",
    "Deployment",
    "HorizontalPodAutoscaler",
    "DataproxyFilter",
    "MutatingWebhookConfiguration",
  ]);
});

Deno.test("another version of a kind has the same stage, another group has not", () => {
  const stage = stageOf({ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" });
  assert.equal(stageOf({ apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler" }), stage);
  const service = stageOf({ apiVersion: "v1", kind: "Service" });
  assert.ok(stageOf({ apiVersion: "serving.example.com/v1", kind: "Service" }) > service);
});

Deno.test("components are installed in groups", () => {
  const names = ["IngressGateways", "Ztunnel", "Cni", "Pilot", "EgressGateways", "Base"];
  const components = names.map((component) => ({
    ...{ component, name: "", namespace: "", objects: [] },
  }));
  const phases = phasesOf(components).map((phase) => phase.map(({ component }) => component));
  assert.deepEqual(phases, [
    ["Base"],
    ["Cni", "Pilot"],
    ["Ztunnel"],
    ["IngressGateways", "EgressGateways"],
  ]);
});
