import assert from "node:assert/strict";
import { parseMeshConfig } from "../../schema/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { intakeOf } from "../../../../tests/support/file_source_fixture.ts";
import { directoriesOf, startConfigDirectories } from "./config_directories.ts";

const mesh = (...addresses: readonly string[]): MeshConfig =>
  parseMeshConfig(
    JSON.stringify({ configSources: addresses.map((address) => ({ address })) }),
    "mesh",
  ).value!;

Deno.test("configuration is read from the flag's directory first, then from those of the mesh", () => {
  const cases: readonly [configDir: string, addresses: string[], expected: string[]][] = [
    ["/a", [], ["/a"]],
    ["", ["fs:///b"], ["/b"]],
    ["/a", ["fs:///c", "k8s://", "fs:///b"], ["/a", "/c", "/b"]],
    ["/a", ["fs:///a/", "xds://x:1"], ["/a"]],
    ["", ["fs://b"], [`${Deno.cwd()}/b`]],
    ["", ["k8s://"], []],
  ];
  for (const [configDir, addresses, expected] of cases) {
    assert.deepEqual(directoriesOf(configDir, mesh(...addresses)), expected);
  }
});

Deno.test("without a directory there is no configuration", async () => {
  for (const none of [mesh(), mesh("k8s://")]) {
    const followed = { current: () => none, subscribe: () => () => {} };
    const started = startConfigDirectories({
      configDir: "",
      mesh: followed,
      intake: intakeOf(() => {}),
    });
    await assert.rejects(started, { code: "no-configuration" });
  }
});
