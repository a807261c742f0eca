/** Conditions of ambient mode. */
import assert from "node:assert/strict";
import type { WaypointBinding } from "./binding/mod.ts";
import {
  bindingConditions,
  nodeProxyCondition,
  type PolicyTarget,
  type TargetFate,
  waypointCondition,
} from "./status.ts";

const WAYPOINT = {
  namespace: "shop",
  name: "wp",
  className: "mesh-waypoint",
  traffic: "service",
} as const;
const FAULT = { reason: "WaypointMissing", message: "no waypoint" } as const;

const BINDINGS: readonly [string, WaypointBinding, RegExp | undefined][] = [
  ["no waypoint is named", { ingress: false }, undefined],
  ["bound", { waypoint: WAYPOINT, ingress: false }, /^True WaypointAccepted .*"shop\/wp"$/],
  ["bound for gateways, too", { waypoint: WAYPOINT, ingress: true }, /^True .*gateways send/],
  ["not bound", { fault: FAULT, ingress: false }, /^False WaypointMissing no waypoint$/],
  [
    "the second one is missing",
    { waypoint: WAYPOINT, canaryFault: FAULT, ingress: false },
    /^True WaypointAccepted .*second waypoint is not used: no waypoint$/,
  ],
];

for (const [name, binding, wanted] of BINDINGS) {
  Deno.test(`conditions of bindings: ${name}`, () => {
    const shown = bindingConditions(binding).map(({ type, status, reason, message }) => {
      assert.equal(type, "mesh.io/WaypointBound");
      return `${status} ${reason} ${message}`;
    });
    if (wanted === undefined) assert.deepEqual(shown, []);
    else assert.match(shown.join(), wanted);
  });
}

Deno.test("conditions of policies of node proxies", () => {
  const shown = (one: ReturnType<typeof nodeProxyCondition>) =>
    `${one.type} ${one.status} ${one.reason}`;
  assert.equal(shown(nodeProxyCondition({})), "ZtunnelAccepted True Accepted");
  assert.equal(
    shown(nodeProxyCondition({ fault: "no paths" })),
    "ZtunnelAccepted False UnsupportedValue",
  );
});

const TARGETS: readonly [readonly TargetFate[], string][] = [
  [[], ""],
  [["none"], ""],
  [["bound"], "True Accepted"],
  [["bound", "none"], "True Accepted"],
  [["unbound"], "False AncestorNotBound"],
  [["missing"], "False TargetNotFound"],
  [["invalid", "missing"], "False Invalid"],
  [["bound", "missing"], "True PartiallyInvalid"],
];

for (const [fates, wanted] of TARGETS) {
  Deno.test(`conditions of policies with targets: ${fates.join(", ") || "no target"}`, () => {
    const targets = fates.map((fate, i): PolicyTarget => ({ name: `Service "s${i}"`, fate }));
    const found = waypointCondition(targets);
    assert.equal(found === undefined ? "" : `${found.status} ${found.reason}`, wanted);
  });
}
