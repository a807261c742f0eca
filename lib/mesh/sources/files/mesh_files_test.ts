import assert from "node:assert/strict";
import { defaultMeshConfig, defaultMeshNetworks } from "../../schema/mod.ts";
import { type WatchedFile, watchMeshConfig, watchNetworks } from "../mod.ts";
import { eventually, QUICK } from "../../../../tests/support/file_source_fixture.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";

async function withMesh(
  text: string | undefined,
  run: (path: string, watch: WatchedFile<MeshConfig>, domains: string[]) => Promise<void>,
): Promise<void> {
  const dir = Deno.makeTempDirSync();
  const path = `${dir}/mesh`;
  const domains: string[] = [];
  if (text !== undefined) Deno.writeTextFileSync(path, text);
  const watch = await watchMeshConfig({ path, timing: QUICK });
  watch.subscribe((config) => void domains.push(config.trustDomain));
  try {
    await run(path, watch, domains);
  } finally {
    await watch.close();
    Deno.removeSync(dir, { recursive: true });
  }
}

Deno.test("mesh config file: changes are followed, equal meaning is no change", async () => {
  await withMesh("trustDomain: one", async (path, watch, domains) => {
    assert.equal(watch.found(), true);
    assert.equal(watch.current().trustDomain, "one");
    Deno.writeTextFileSync(path, "# the same\ntrustDomain: one\n");
    Deno.writeTextFileSync(`${path}.new`, "trustDomain: two");
    Deno.renameSync(`${path}.new`, path);
    await eventually(() => assert.deepEqual(domains, ["two"]));
    assert.equal(watch.current().trustDomain, "two");
  });
});

Deno.test("mesh config file: bad content and removal keep the last good one", async () => {
  await withMesh("trustDomain: one", async (path, watch, domains) => {
    Deno.writeTextFileSync(path, "trustDomain: [");
    await eventually(() => assert.equal(watch.problems()[0]?.code, "yaml-syntax"));
    Deno.removeSync(path);
    await eventually(() => assert.equal(watch.problems()[0]?.code, "file-missing"));
    assert.equal(watch.found(), false);
    assert.equal(watch.current().trustDomain, "one");
    Deno.writeTextFileSync(path, "trustDomain: one");
    await eventually(() => assert.deepEqual(watch.problems(), []));
    assert.deepEqual(domains, []);
    Deno.writeTextFileSync(path, "trustDomain: two");
    await eventually(() => assert.deepEqual(domains, ["two"]));
  });
});

Deno.test("mesh config file: missing, it is the default until it appears", async () => {
  await withMesh(undefined, async (path, watch, domains) => {
    assert.equal(watch.found(), false);
    assert.deepEqual(watch.current(), defaultMeshConfig());
    assert.deepEqual(watch.problems(), []);
    Deno.writeTextFileSync(path, "trustDomain: one");
    await eventually(() => assert.deepEqual(domains, ["one"]));
    assert.equal(watch.found(), true);
  });
});

Deno.test("mesh config file: at the start, a missing explicit or a bad one is an error", async () => {
  const dir = Deno.makeTempDirSync();
  try {
    await assert.rejects(watchMeshConfig({ path: `${dir}/none`, explicit: true }), {
      code: "file-missing",
    });
    Deno.writeTextFileSync(`${dir}/bad`, "\nproxyListenPort: 70000");
    await assert.rejects(watchMeshConfig({ path: `${dir}/bad` }), {
      code: "invalid-port",
      message: /bad:2:18: proxyListenPort: port 70000/,
    });
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test("networks file: read and followed", async () => {
  const dir = Deno.makeTempDirSync();
  const path = `${dir}/networks`;
  Deno.writeTextFileSync(path, "");
  let names: string[] | undefined;
  const watch = await watchNetworks({ path, timing: QUICK });
  watch.subscribe(({ networks }) => void (names = Object.keys(networks)));
  try {
    assert.deepEqual(watch.current(), defaultMeshNetworks());
    Deno.writeTextFileSync(path, "networks: {n1: {endpoints: [{fromRegistry: r}]}}");
    await eventually(() => assert.deepEqual(names, ["n1"]));
  } finally {
    await watch.close();
    Deno.removeSync(dir, { recursive: true });
  }
});
