/**
 * No field of the Gateway API is silent: set to a value that is not its default, it changes what some
 * proxy is served or what a status says, or a warning or an error names it.
 *
 * @module
 */
import assert from "node:assert/strict";
import { fieldCases } from "../../../tests/support/coverage/fields.ts";
import { API_BACKGROUND, API_SCENES } from "../../../tests/support/coverage/gateway_api_scenes.ts";
import { openApiStage } from "../../../tests/support/coverage/gateway_api_stage.ts";
import { tryField } from "../../../tests/support/coverage/observe.ts";
import { isGatewayGroup } from "../gateway_api/mod.ts";
import { KINDS } from "../schema/mod.ts";

/** Fields without effect and without warning, each with its reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["HTTPRoute", "GRPCRoute"].flatMap((kind) =>
      ["rules[].filters[].type", "rules[].backendRefs[].filters[].type"].map((label) => [
        `${kind} ${label}`,
        "it goes with the field of its type, and any other is refused",
      ])
    ),
  ),
  "TLSRoute rules[].name": "a name for people",
  "TCPRoute rules[].name": "a name for people",
  "UDPRoute rules[].name": "a name for people",
  "XBackend port.name": "a name for people",
  ...Object.fromEntries(
    [
      "labels.k",
      "annotations.k",
    ].map((field) => [
      `KubernetesGateway infrastructure.${field}`,
      "of the objects of the Gateway's proxies: lib/cluster/controllers/gateways",
    ]),
  ),
};

/** Kinds without a scene here, each with its reason. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  GatewayClass:
    "it only tells whose Gateways are: lib/mesh/gateway_api/binding, controllers/gateways",
  XMesh: "nothing but its status has it: lib/mesh/derive/gateway_api",
};

for (const { kind, group, schema } of KINDS) {
  if (!isGatewayGroup(group)) continue;
  const scene = API_SCENES[kind];
  Deno.test(`coverage of the Gateway API: ${kind} has a scene, or a reason`, () => {
    assert.notEqual(scene === undefined, ELSEWHERE[kind] === undefined);
  });
  if (scene === undefined) continue;
  Deno.test(`coverage of the Gateway API: every field of ${kind} acts, or is named`, () => {
    const stage = openApiStage(API_BACKGROUND);
    const silent: string[] = [];
    const stray: string[] = [];
    for (const field of fieldCases(schema, scene)) {
      const outcome = tryField(stage, scene, field);
      const isExempt = `${kind} ${field.label}` in EXEMPT;
      if (outcome.stray.length > 0) stray.push(`${field.label}: ${outcome.stray.join("; ")}`);
      else if (!outcome.changes && !outcome.warned && !outcome.refused) {
        if (!isExempt) silent.push(field.label);
      } else assert.ok(!isExempt, `${field.label} is exempt`);
    }
    assert.deepEqual({ silent, stray }, { silent: [], stray: [] });
  });
}
