/**
 * No setting of the mesh is silent: set to a value that is not its default, it changes what some
 * proxy is served, or a warning or an error names it.
 *
 * @module
 */
import assert from "node:assert/strict";
import { agentDistinguishes } from "../../../tests/support/coverage/agents.ts";
import { type FieldCase, fieldCases, withField } from "../../../tests/support/coverage/fields.ts";
import { openStage } from "../../../tests/support/coverage/observe.ts";
import { BACKGROUND } from "../../../tests/support/coverage/scenes.ts";
import {
  MESH_BACKGROUND,
  MESH_CONFIG,
  MESH_NETWORKS,
  type Single,
  trySingle,
} from "../../../tests/support/coverage/singles.ts";

/** Fields without effect on resources or agents and without warning, each with its reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  "MeshConfig caCertificates[].pem": "authorities of other meshes are served to agents apart",
  "MeshConfig caCertificates[].spiffeBundleUrl": "what is there is put in its place",
  "MeshConfig caCertificates[].certSigners[]": "selects roots of signers: lib/cluster/ca",
  "MeshConfig caCertificates[].trustDomains[]": "agents get authorities separately",
  "MeshConfig defaultConfig.holdApplicationUntilProxyStarts":
    "shapes injected pods: lib/cluster/inject",
  "MeshConfig defaultConfig.image.imageType":
    "names the image of injected pods: lib/cluster/inject",
  "MeshConfig hboneIdleTimeout": "acts on tunnels: lib/mesh/translate/tunnels_test.ts",
  "MeshConfig enablePrometheusMerge": "shapes injected pods: lib/cluster/inject",
  "MeshConfig defaultConfig.proxyHeaders.metadataExchangeHeaders.mode=IN_MESH":
    "servers outside the mesh never get metadata of workloads",
  ...Object.fromEntries(
    [
      "ingressClass",
      "ingressService",
      "ingressSelector",
      "ingressControllerMode=OFF",
      "ingressControllerMode=DEFAULT",
      "ingressControllerMode=STRICT",
    ].map((field) => [`MeshConfig ${field}`, "Ingress objects come from an orchestrator"]),
  ),
  ...Object.fromEntries(
    [
      ...["namespaceSelector", "servicesSelector"].flatMap((selector) =>
        [
          "matchLabels.k",
          ...["key", "operator", "values[]"].map((one) => `matchExpressions[].${one}`),
        ]
          .map((field) => `${selector}.${field}`)
      ),
      "scope=GLOBAL",
    ].map((field) => [
      `MeshConfig serviceScopeConfigs[].${field}`,
      "acts in ambient mode: lib/mesh/translate/ambient/ambient_test.ts",
    ]),
  ),
  "MeshConfig extensionProviders[].opentelemetry.resourceDetectors.environment":
    "the environment is what is looked at by default",
};

const SINGLES: Readonly<Record<string, Single>> = {
  MeshConfig: MESH_CONFIG,
  MeshNetworks: MESH_NETWORKS,
};

for (const [kind, single] of Object.entries(SINGLES)) {
  Deno.test(`coverage: every field of ${kind} acts, or is named`, async () => {
    const stage = openStage(`${BACKGROUND}---\n${MESH_BACKGROUND}`);
    const silent: string[] = [];
    const stray: string[] = [];
    for (const field of fieldCases(single.schema, single)) {
      const { changes, warned, refused, stray: other } = trySingle(stage, single, field);
      const exempt = `${kind} ${field.label}` in EXEMPT;
      if (other.length > 0) stray.push(`${field.label}: ${other.join("; ")}`);
      else if (!changes && !warned && !refused) {
        if (!exempt && !await distinguished(single, field)) silent.push(field.label);
      } else assert.ok(!exempt, `${field.label} is exempt`);
    }
    assert.deepEqual({ silent, stray }, { silent: [], stray: [] });
  });
}

/** Reports if a field that affects no resource affects the agent. */
function distinguished(single: Single, field: FieldCase): Promise<boolean> | false {
  if (!field.label.startsWith("defaultConfig.")) return false;
  const spec = single.specOf(field.label);
  return agentDistinguishes(spec, withField(spec, field));
}
