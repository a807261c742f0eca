/** `experimental migrate`: what it writes, and where. */
import assert from "node:assert/strict";
import { buildInfo } from "../../lib/kit/base/mod.ts";
import { embeddedCharts } from "../../lib/cluster/charts/mod.ts";
import { planInstallation } from "../../lib/cluster/operator/mod.ts";
import { migrateText } from "../../lib/insight/migrate/mod.ts";
import { runInProcess } from "../../tests/support/program_run.ts";
import { MESHCTL } from "./program.ts";

const EXAMPLES = new URL("../../scripts/reference/examples/", import.meta.url);
const SAMPLES = new URL("../../samples/", import.meta.url);

/** The same text as Istio's users write it: the names of the tables in `docs/from-istio.md`, backwards. */
function asIstio(text: string): string {
  return text.replaceAll("mesh.io/", "istio.io/").replaceAll("DataproxyFilter", "EnvoyFilter")
    .replaceAll("MESH_MUTUAL", "ISTIO_MUTUAL").replaceAll("mesh-system", "istio-system")
    .replaceAll("mesh-ingressgateway", "istio-ingressgateway")
    .replaceAll("mesh-injection", "istio-injection").replaceAll("meshd.", "istiod.")
    .replaceAll("mesh: ingressgateway", "istio: ingressgateway")
    .replaceAll(/\bMESH_META_/g, "ISTIO_META_").replaceAll(/\bmesh_requests/g, "istio_requests")
    .replaceAll(/\bdataproxy([A-Z]\w+:)/g, "envoy$1").replaceAll(
      "enableMeshTags",
      "enableIstioTags",
    )
    .replaceAll(/(able)Dataproxy(\w+:)/g, "$1Envoy$2");
}

function texts(folder: URL): { name: string; text: string }[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? texts(new URL(`${name}/`, folder)) : name.endsWith(".yaml")
      ? [{
        name: `${folder.pathname.split("/").at(-2)}-${name}`,
        text: Deno.readTextFileSync(new URL(name, folder)),
      }]
      : []
  );
}

async function inFolder(fn: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "mesh-migrate-" });
  try {
    await fn(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("migrate: examples of all kinds and samples get their own text back, and validate accepts it", () =>
  inFolder(async (folder) => {
    const all = [...texts(EXAMPLES), ...texts(SAMPLES)];
    assert.ok(all.length > 25);
    await Deno.mkdir(`${folder}/in`);
    for (const { name, text } of all) {
      await Deno.writeTextFile(`${folder}/in/${name}`, asIstio(text));
    }
    const line = ["x", "migrate", "-f", `${folder}/in`, "-o", `${folder}/out`];
    const [out, err, status] = await runInProcess(MESHCTL, line);
    assert.deepEqual([out, status], ["", 0], err);
    for (const { name, text } of all) {
      assert.equal(await Deno.readTextFile(`${folder}/out/${name}`), text, name);
    }
    // The reader takes a mesh configuration without a kind only as the file of a mesh.
    for (const { name } of all.filter(({ text }) => text.includes("apiVersion:"))) {
      const [, said, rejected] = await runInProcess(MESHCTL, ["validate", `${folder}/out/${name}`]);
      assert.equal(rejected, 0, `${name}: ${said}`);
    }
  }));

const GATEWAY = `# public
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: a}
spec:
  selector: {istio: ingressgateway}
  servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}]
`;

Deno.test("migrate: files are changed only where that is asked for", () =>
  inFolder(async (folder) => {
    const file = `${folder}/a.yaml`;
    await Deno.writeTextFile(file, GATEWAY);
    const [, err, status] = await runInProcess(MESHCTL, ["x", "migrate", "-f", file, "-o", folder]);
    assert.equal(status, 64);
    assert.match(err, /a\.yaml would be replaced by its result\nName another directory/);
    assert.equal(await Deno.readTextFile(file), GATEWAY);
    const changed = await runInProcess(MESHCTL, ["x", "migrate", "-f", file, "--in-place"]);
    assert.deepEqual(changed, ["", "1 file of 1 changed; 0 errors, 0 warnings\n", 0]);
    const now = await Deno.readTextFile(file);
    assert.match(now, /^# public\napiVersion: networking.mesh.io\/v1\n[^]*selector: {mesh: ingr/);
    assert.deepEqual(await runInProcess(MESHCTL, ["x", "migrate", "-f", folder]), [
      now,
      "0 files of 1 changed; 0 errors, 0 warnings\n",
      0,
    ]);
  }));

Deno.test("migrate: a loss is said with file, line, field and remedy", () =>
  inFolder(async (folder) => {
    const file = `${folder}/a.yaml`;
    await Deno.writeTextFile(
      file,
      `${GATEWAY}---\napiVersion: rbac.istio.io/v1alpha1\nkind: Policy\n`,
    );
    const [out, err, status] = await runInProcess(MESHCTL, ["x", "migrate", "-f", file]);
    assert.equal(status, 1);
    assert.match(out, /networking\.mesh\.io\/v1\n[^]*---\napiVersion: rbac\.istio\.io/);
    assert.match(
      err,
      /^Error \S+a\.yaml:9: Policy of rbac\.istio\.io has no counterpart.*\n {2}Remove/,
    );
    assert.match(err, /1 error, 0 warnings\n$/);
  }));

const OPERATOR = `apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
metadata: {name: installed, namespace: istio-system}
spec:
  profile: default
  meshConfig: {accessLogFile: /dev/stdout, enableEnvoyAccessLogService: true}
  components:
    ingressGateways:
    - {name: istio-ingressgateway, enabled: true, label: {istio: ingressgateway}}
    pilot: {k8s: {replicaCount: 2, env: [{name: PILOT_ENABLE_IP_AUTOALLOCATE, value: "true"}]}}
  values:
    global: {meshID: m1}
    pilot: {autoscaleEnabled: false}
`;

Deno.test("migrate: an installation is planned from the converted document", () => {
  const { text, remarks } = migrateText(OPERATOR, "operator.yaml");
  assert.deepEqual(remarks, []);
  const { problems, components } = planInstallation({
    charts: embeddedCharts(),
    files: [{ name: "operator.yaml", text }],
    set: [],
    version: buildInfo.version,
    capabilities: { orchVersion: "v1.36.0", apiVersions: [] },
    isForced: false,
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(components.map(({ name }) => name), ["base", "meshd", "mesh-ingressgateway"]);
});

/** Command line → status, and the error. */
const WRONG: readonly (readonly [string, number, RegExp])[] = [
  ["x migrate", 1, /you must specify manifests by --filename\nFor example/],
  ["x migrate -f /absent", 1, /cannot read \/absent: there is no such file/],
  ["x migrate -f a --in-place -o b", 64, /--in-place and --output cannot be given together/],
  ["x migrate -f - --in-place", 64, /standard input cannot be changed in place/],
];

for (const [line, expected, message] of WRONG) {
  Deno.test(`migrate, wrong use: ${line}`, async () => {
    const [out, err, status] = await runInProcess(MESHCTL, line.split(" "));
    assert.deepEqual([out, status], ["", expected], err);
    assert.match(err, message);
  });
}
