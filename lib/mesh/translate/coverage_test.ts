/**
 * No field is silent: set to a value that is not its default, it changes what some proxy is
 * served, or a warning or an error names it.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  EXTENSION_BACKGROUND,
  EXTENSION_SCENES,
} from "../../../tests/support/coverage/extension_scenes.ts";
import { fieldCases } from "../../../tests/support/coverage/fields.ts";
import { openStage, tryField } from "../../../tests/support/coverage/observe.ts";
import { BACKGROUND, SCENES } from "../../../tests/support/coverage/scenes.ts";
import { openSecured, SECURITY_SCENES } from "../../../tests/support/coverage/security_scenes.ts";
import { isGatewayGroup } from "../gateway_api/mod.ts";
import { KINDS } from "../schema/mod.ts";

/** Fields without effect and without warning, each with its reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  "DataproxyFilter configPatches[].patch.filterClass=STATS":
    "no filter makes statistics: before them is where a filter is added anyway",
  "WasmPlugin match[].mode=CLIENT_AND_SERVER": "what is so by default",
  "WasmPlugin type=HTTP": "what is so by default",
  "WasmPlugin imagePullSecret": "for images, which only agents fetch: tests/e2e/wasm_test.ts",
  "WasmPlugin targetRef.group": "of a Gateway, it can be but one",
  "WasmPlugin targetRefs[].group": "of a Gateway, it can be but one",
  "DataproxyFilter targetRefs[].group": "of a Gateway, it can be but one",
  "AuthorizationPolicy targetRef.group": "of a Gateway, it can be but one",
  "AuthorizationPolicy targetRefs[].group": "of a Gateway, it can be but one",
  "RequestAuthentication targetRef.group": "of a Gateway, it can be but one",
  "RequestAuthentication targetRefs[].group": "of a Gateway, it can be but one",
  "Telemetry targetRef.group": "of a Gateway, it can be but one",
  "Telemetry targetRefs[].group": "of a Gateway, it can be but one",
  "Gateway servers[].name": "a name for people; it must be unique, and leads nowhere",
  "Sidecar ingress[].captureMode=IPTABLES":
    "what is so by default where traffic is redirected; elsewhere there is nothing to capture",
  "Sidecar ingress[].port.name": "a name for people, which manifests give as a rule",
  "Sidecar egress[].port.name": "a name for people, which manifests give as a rule",
};

/** Kinds without a scene here, each with its reason. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    KINDS.filter(({ group }) => isGatewayGroup(group)).map(({ kind }) => [
      kind,
      "it becomes Gateways and VirtualServices: lib/mesh/translate/gateway_api_coverage_test.ts",
    ]),
  ),
  Namespace: "its labels are used by discoverySelectors only, which have tests of their own",
  WorkloadGroup: "it makes WorkloadEntries: lib/mesh/sources/registration/coverage_test.ts",
};

for (const kind of KINDS) {
  const secured = SECURITY_SCENES[kind.kind];
  const scene = secured ?? EXTENSION_SCENES[kind.kind] ?? SCENES[kind.kind];
  const background = kind.kind in EXTENSION_SCENES
    ? `${BACKGROUND}---\n${EXTENSION_BACKGROUND}`
    : BACKGROUND;
  Deno.test(`coverage: ${kind.kind} has a scene, or a reason`, () => {
    assert.notEqual(scene === undefined, ELSEWHERE[kind.kind] === undefined);
  });
  if (scene === undefined) continue;
  Deno.test(`coverage: every field of ${kind.kind} acts, or is named`, () => {
    const stage = secured === undefined ? openStage(background) : openSecured(BACKGROUND);
    const silent: string[] = [];
    const stray: string[] = [];
    for (const field of fieldCases(kind.schema, scene)) {
      const outcome = tryField(stage, scene, field);
      if (outcome.stray.length > 0) stray.push(`${field.label}: ${outcome.stray.join("; ")}`);
      else if (!outcome.changes && !outcome.warned && !outcome.refused) {
        if (!(`${kind.kind} ${field.label}` in EXEMPT)) silent.push(field.label);
      } else assert.ok(!(`${kind.kind} ${field.label}` in EXEMPT), `${field.label} is exempt`);
    }
    assert.deepEqual({ silent, stray }, { silent: [], stray: [] });
  });
}
