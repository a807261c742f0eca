import assert from "node:assert/strict";
import { MeshError } from "../../kit/base/mod.ts";
import { type Loaded, type LoadFlags, loadSettings } from "./load.ts";

const FLAGS: LoadFlags = {
  role: "sidecar",
  concurrency: undefined,
  domain: "",
  outlierLogPath: "",
  proxyLogLevel: "warning",
  proxyComponentLogLevel: "",
  logAsJson: false,
  meshConfig: "./etc/mesh/config/mesh",
  meshConfigGiven: false,
  serviceCluster: undefined,
  templateFile: "",
};
const ADDRESS = { INSTANCE_IP: "127.0.0.1", POD_NAME: "p" };

/** Loads settings in a temporary folder with these files. */
async function load(
  files: Readonly<Record<string, string>>,
  flags: Partial<LoadFlags> = {},
  environ: Readonly<Record<string, string>> = {},
): Promise<Loaded> {
  const dir = await Deno.makeTempDir();
  const before = Deno.cwd();
  try {
    for (const [file, text] of Object.entries(files)) {
      const folder = file.slice(0, file.lastIndexOf("/"));
      await Deno.mkdir(`${dir}/${folder}`, { recursive: true });
      await Deno.writeTextFile(`${dir}/${file}`, text);
    }
    Deno.chdir(dir);
    return await loadSettings({ ...FLAGS, ...flags }, { ...ADDRESS, ...environ });
  } finally {
    Deno.chdir(before);
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("files of mesh and pod are found at their places", async () => {
  const { settings, warnings } = await load(
    {
      "etc/mesh/config/mesh": "defaultConfig: {proxyAdminPort: 1, statusPort: 1}\nnews: 1\n",
      "etc/mesh/pod/labels": 'app="shop"\n',
      "etc/mesh/pod/annotations": 'proxy.mesh.io/config="statusPort: 3"\n',
    },
    {},
    { PROXY_CONFIG: "statusPort: 2\nproxyAdminPort: 2" },
  );
  assert.equal(settings.proxy.proxyAdminPort, 2);
  assert.equal(settings.proxy.statusPort, 3);
  assert.deepEqual(settings.labels, { app: "shop" });
  assert.equal(settings.annotations["proxy.mesh.io/config"], "statusPort: 3");
  assert.match(warnings.join(), /etc\/mesh\/config\/mesh:2:1: news: unknown field/);
});

Deno.test("annotations of the pod set the agent's port and the address of the daemon", async () => {
  const { settings } = await load({
    "etc/mesh/pod/annotations":
      'status.sidecar.mesh.io/port="15999"\nsidecar.mesh.io/discoveryAddress="d.example:15012"\n',
  });
  assert.equal(settings.proxy.statusPort, 15999);
  assert.equal(settings.proxy.discoveryAddress, "d.example:15012");
});

Deno.test("the mesh configuration must exist only when it is named", async () => {
  assert.equal((await load({})).settings.proxy.statusPort, 15020);
  await assert.rejects(
    load({}, { meshConfig: "nowhere", meshConfigGiven: true }),
    (error) => error instanceof MeshError && /nowhere cannot be read/.test(error.message),
  );
});

Deno.test("proxyMetadata lies below the environment", async () => {
  const proxyMetadata = '{"MESH_DELTA_XDS":"false","MESH_CPU_LIMIT":"3","MESH_META_A":"a"}';
  const { settings } = await load({}, {}, {
    PROXY_CONFIG: `{"proxyMetadata":${proxyMetadata}}`,
    MESH_CPU_LIMIT: "5",
  });
  assert.equal(settings.env.deltaXds, false);
  assert.equal(settings.env.cpuLimit, 5);
  assert.equal(settings.environ.MESH_META_A, "a");
});

const TEMPLATES = { "t/env": "env", "t/custom": "custom", "t/flag": "flag", "t/path": "path" };
const ORDER: readonly (readonly [string, Record<string, string>, string])[] = [
  ["t/flag", { MESH_BOOTSTRAP: "t/env", PROXY_CONFIG: "customConfigFile: t/custom" }, "env"],
  ["t/flag", { PROXY_CONFIG: "customConfigFile: t/custom" }, "custom"],
  ["t/flag", { PROXY_CONFIG: "proxyBootstrapTemplatePath: t/path" }, "flag"],
  ["", { PROXY_CONFIG: "proxyBootstrapTemplatePath: t/path" }, "path"],
];
for (const [templateFile, environ, expected] of ORDER) {
  Deno.test(`the template is that of ${expected}`, async () => {
    const { settings } = await load(TEMPLATES, { templateFile }, environ);
    assert.equal(settings.template?.text, expected);
  });
}

Deno.test("an override is read, one that is not there is an error", async () => {
  const environ = { MESH_BOOTSTRAP_OVERRIDE: "t/override" };
  const { settings } = await load({ "t/override": "admin: {}" }, {}, environ);
  assert.equal(settings.override, "admin: {}");
  await assert.rejects(load({}, {}, environ), { code: "agent-file" });
});

Deno.test("variables that do nothing yet are named with what they belong to", async () => {
  const proxyMetadata = '{"XDS_AUTH_PROVIDER":"a"}';
  const environ = { JWT_POLICY: "", PROXY_CONFIG: `proxyMetadata: ${proxyMetadata}` };
  const { ineffectiveVariables } = await load({}, {}, environ);
  const state = { kind: "unsupported", reason: "certificates from the agent" };
  assert.deepEqual(ineffectiveVariables, [{ name: "XDS_AUTH_PROVIDER", state }]);
});

Deno.test("a bad value of a variable that does nothing yet is refused", async () => {
  await assert.rejects(load({}, {}, { WASM_PURGE_INTERVAL: "10" }), {
    code: "env-invalid",
    message: /^environment variable WASM_PURGE_INTERVAL is set to "10"; it takes a duration/,
  });
});

Deno.test("INSTANCE_IP names the address of the workload", async () => {
  for (const INSTANCE_IP of ["127.0.0.1", "127.0.0.7"]) {
    const { settings } = await load({}, {}, { INSTANCE_IP });
    assert.equal(settings.addresses.ips[0], INSTANCE_IP);
  }
});
