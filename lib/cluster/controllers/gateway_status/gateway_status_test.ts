import assert from "node:assert/strict";
import { createGatewayStatusCheck } from "./gateway_status.ts";
import { statusChange } from "./merge.ts";

const merging = { controllerName: "mesh.io/gateway-controller", now: "2026-01-02T00:00:00Z" };
const BEFORE = "2026-01-01T00:00:00Z";

function condition(type: string, status: string, lastTransitionTime?: string) {
  const time = lastTransitionTime === undefined ? {} : { lastTransitionTime };
  return { type, status, reason: "R", message: "m", observedGeneration: 1, ...time };
}

function entry(name: string, controllerName: string, time?: string) {
  const conditions = [condition("Accepted", "True", time)];
  return { parentRef: { name }, controllerName, conditions };
}

Deno.test("conditions keep their time until their status changes", () => {
  const before = {
    conditions: [condition("Accepted", "True", BEFORE), condition("Programmed", "False", BEFORE)],
  };
  const wanted = { conditions: [condition("Accepted", "True"), condition("Programmed", "True")] };
  assert.deepEqual(statusChange(before, wanted, merging), {
    conditions: [
      condition("Accepted", "True", BEFORE),
      condition("Programmed", "True", merging.now),
    ],
  });
});

Deno.test("conditions of other types stay, and those that no longer hold go", () => {
  const before = {
    conditions: [
      condition("Other", "True", BEFORE),
      condition("Accepted", "True", BEFORE),
      condition("InsecureFrontendValidationMode", "True", BEFORE),
    ],
  };
  const change = statusChange(before, { conditions: [condition("Accepted", "True")] }, merging);
  assert.deepEqual(change, {
    conditions: [condition("Other", "True", BEFORE), condition("Accepted", "True", BEFORE)],
  });
});

Deno.test("an equal status is no change", () => {
  const conditions = [condition("Accepted", "True")];
  const listener = { name: "a", attachedRoutes: 1, supportedKinds: [] };
  const wanted = { conditions, listeners: [{ ...listener, conditions }] };
  const timed = [condition("Accepted", "True", BEFORE)];
  const before = { conditions: timed, listeners: [{ ...listener, conditions: timed }] };
  assert.equal(statusChange(before, wanted, merging), undefined);
  assert.equal(statusChange({}, { parents: [] }, merging), undefined);
});

Deno.test("fields that Mesh owns are removed once they are empty", () => {
  const conditions = [condition("Accepted", "True", BEFORE)];
  const before = { conditions, addresses: [{ type: "IPAddress", value: "1.2.3.4" }] };
  const wanted = { conditions: [condition("Accepted", "True")] };
  assert.deepEqual(statusChange(before, wanted, merging), { addresses: null });
});

Deno.test("parents of other controllers stay, and former parents go", () => {
  const own = merging.controllerName;
  const before = {
    parents: [entry("a", own, BEFORE), entry("a", "other.org/c", BEFORE), entry("b", own, BEFORE)],
  };
  const change = statusChange(before, { parents: [entry("b", own)] }, merging);
  assert.deepEqual(change, {
    parents: [entry("a", "other.org/c", BEFORE), entry("b", own, BEFORE)],
  });
  assert.deepEqual(statusChange(before, { parents: [] }, merging), {
    parents: [entry("a", "other.org/c", BEFORE)],
  });
});

Deno.test("a status of which the server drops a field is written once to a version", () => {
  const check = createGatewayStatusCheck(merging.controllerName);
  const wanted = { conditions: [condition("Accepted", "True")], attachedListenerSets: 1 };
  const conditions = [condition("Accepted", "True", BEFORE)];
  const item = { metadata: { name: "g", resourceVersion: "1" } };
  assert.ok(check.of(item, wanted, merging.now));
  check.written(item, wanted, "2");
  const seen = { metadata: { name: "g", resourceVersion: "2" }, status: { conditions } };
  assert.equal(check.of(seen, wanted, merging.now), undefined);
  const changed = { ...seen, metadata: { name: "g", resourceVersion: "3" } };
  assert.ok(check.of(changed, wanted, merging.now));
  check.written(changed, wanted, "3");
  assert.equal(check.of(changed, wanted, merging.now), undefined);
});
