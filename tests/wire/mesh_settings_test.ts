/**
 * Configuration sources and precedence in the mesh configuration, with a real daemon.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type Daemon, eventually, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, serviceEntry } from "../support/manifest.ts";
import { problemsOf } from "../support/views.ts";

const PORT = { number: 80, protocol: "HTTP" };

const service = (name: string): string =>
  serviceEntry(name, [`${name}.test`], PORT, [endpoint(80)]);

async function hosts(daemon: Daemon): Promise<string> {
  const services = await daemon.debug<{ host: string }[]>("registryz");
  return services.map(({ host }) => host).sort().join(" ");
}

Deno.test("directories that the mesh configuration names are read, and followed as it changes", async () => {
  await using own = await makeConfigDir();
  await using more = await makeConfigDir();
  await using mesh = await makeConfigDir();
  const name = (...dirs: readonly string[]) =>
    mesh.write("mesh", JSON.stringify({ configSources: dirs.map((address) => ({ address })) }));
  await own.write("a.yaml", documents(service("one"), service("both")));
  await more.write("a.yaml", documents(service("two"), service("both")));
  await name(`fs://${more.path}`, "k8s://");
  await using daemon = await startDaemon({
    configDir: own.path,
    args: [`--meshConfig=${mesh.path}/mesh`],
  });
  assert.equal(await hosts(daemon), "both.test one.test two.test");
  const { problems, warnings } = await problemsOf(daemon);
  assert.deepEqual(problems.map(({ file, code }) => [file, code]), [
    [`${more.path}/a.yaml`, "duplicate-object"],
  ]);
  assert.ok(warnings.some(({ path }) => path === "configSources[1].address"));
  await name();
  await eventually("one directory", async () => await hosts(daemon) === "both.test one.test");
  await name(`fs://${more.path}`);
  await eventually("both", async () => await hosts(daemon) === "both.test one.test two.test");
  await more.write("a.yaml", service("three"));
  await eventually("a change", async () => await hosts(daemon) === "both.test one.test three.test");
});

Deno.test("the mesh configuration may be the only one to name a directory", async () => {
  await using conf = await makeConfigDir();
  await using mesh = await makeConfigDir();
  await conf.write("a.yaml", service("one"));
  await mesh.write("mesh", JSON.stringify({ configSources: [{ address: `fs://${conf.path}` }] }));
  await using daemon = await startDaemon({
    configDir: "",
    args: [`--meshConfig=${mesh.path}/mesh`],
  });
  assert.equal(await hosts(daemon), "one.test");
});

Deno.test("ENABLE_ENHANCED_RESOURCE_SCOPING=false takes their say from selectors of namespaces", async () => {
  await using config = await makeConfigDir();
  await using mesh = await makeConfigDir();
  await mesh.write("mesh", "discoverySelectors: [{matchLabels: {team: in}}]\n");
  await config.write(
    "a.yaml",
    documents(
      `apiVersion: v1\nkind: Namespace\nmetadata: {name: inside, labels: {team: in}}\n`,
      ...["inside", "outside"].map((namespace) =>
        manifest("ServiceEntry", "one", {
          hosts: [`${namespace}.test`],
          resolution: "STATIC",
          ports: [{ ...PORT, name: "main" }],
          endpoints: [endpoint(80)],
        }, namespace)
      ),
    ),
  );
  const args = [`--meshConfig=${mesh.path}/mesh`];
  const cases = { true: "inside.test", false: "inside.test outside.test" };
  for (const [value, expected] of Object.entries(cases)) {
    await using daemon = await startDaemon({
      configDir: config.path,
      args,
      env: { ENABLE_ENHANCED_RESOURCE_SCOPING: value },
    });
    assert.equal(await hosts(daemon), expected, value);
  }
});
