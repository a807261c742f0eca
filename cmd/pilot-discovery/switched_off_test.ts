import assert from "node:assert/strict";
import { create } from "../../lib/proto/mod.ts";
import { testMeshConfig } from "../../tests/support/mesh_fixture.ts";
import { startTranslation } from "../../tests/support/translation_fixture.ts";
import { type MeshConfig, MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { switchedOffWarnings } from "./switched_off.ts";

const TRUSTING = create(MeshConfigSchema, {
  rootNamespace: "mesh-system",
  caCertificates: [{ certificateData: { case: "pem", value: "" } }],
});

const CASES: readonly [name: string, config: MeshConfig, multiRoot: boolean, paths: string[]][] = [
  ["authorities that nobody is told", TRUSTING, false, ["caCertificates"]],
  ["authorities that agents are told", TRUSTING, true, []],
  ["none at all", testMeshConfig(), false, []],
];

for (const [name, config, multiRoot, paths] of CASES) {
  Deno.test(`settings that a variable switches off: ${name}`, () => {
    const warnings = switchedOffWarnings(startTranslation(config).translation, { multiRoot });
    assert.deepEqual(warnings.map(({ path }) => path), paths);
  });
}
