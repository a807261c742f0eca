import assert from "node:assert/strict";
import { types } from "../../kit/orch/mod.ts";
import { missingText, rightsOf } from "./rights.ts";

Deno.test("each right is asked once, and missing ones are named by resource and place", () => {
  const places = [
    { type: types.SERVICE, namespace: "mesh-system" },
    { type: types.SERVICE, namespace: "mesh-system" },
    { type: types.DEPLOYMENT, namespace: "edge" },
    { type: types.NAMESPACE, namespace: "ignored" },
  ];
  assert.deepEqual(missingText(rightsOf(places, ["create", "patch"])), [
    "create, patch services in namespace mesh-system",
    "create, patch deployments.apps in namespace edge",
    "create, patch namespaces in the whole cluster",
  ]);
});
