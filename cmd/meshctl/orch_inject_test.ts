/** `orch-inject`: workloads of a file with the proxy. */
import assert from "node:assert/strict";
import { readYaml } from "../../lib/kit/text/mod.ts";
import { runInProcess } from "../../tests/support/program_run.ts";
import { MESHCTL } from "./program.ts";

const DEPLOYMENT = (name: string, more = "", pod = "") =>
  `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}${more}}
spec:
  template:
    metadata: {labels: {app: ${name}}${pod}}
    spec: {containers: [{name: ${name}, image: "${name}:1"}]}
`;

/** The configuration refuses pods that do not ask for the proxy, which does not count here. */
const CONFIG = `policy: disabled
neverInjectSelector: [{matchLabels: {app: web}}]
`;

/** Runs the command on a file, with empty values and mesh configuration. */
async function injected(text: string, ...argv: string[]) {
  const dir = await Deno.makeTempDir();
  try {
    const files = {
      "in.yaml": text,
      config: CONFIG,
      values: "{}",
      mesh: "{}",
      wrong: "enableTracing: 7\n",
      odd: "hbu: x\n",
    };
    for (const [name, content] of Object.entries(files)) {
      await Deno.writeTextFile(`${dir}/${name}`, content);
    }
    const [out, err, status] = await runInProcess(MESHCTL, [
      "orch-inject",
      `-f=${dir}/in.yaml`,
      `--injectConfigFile=${dir}/config`,
      `--valuesFile=${dir}/values`,
      `--meshConfigFile=${dir}/mesh`,
      ...argv.map((one) => one.replace("DIR", dir)),
    ]);
    const written = await Deno.readTextFile(`${dir}/out`).catch(() => "");
    const documents = [...readYaml(out || written)].map(({ document }) => document!.value);
    return { documents: documents as Document[], out, err, status };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

interface Document {
  readonly kind: string;
  readonly spec?: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly ({ readonly name: string } & Partial<Proxy>)[];
      };
    };
  };
}

const containers = ({ spec }: Document) => spec!.template.spec.containers.map(({ name }) => name);

Deno.test("workloads get the proxy whatever the policy is, and other objects stay", async () => {
  const service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n";
  const text = [DEPLOYMENT("web"), service, DEPLOYMENT("shop")].join("---\n");
  const { documents, err, status } = await injected(text);
  assert.deepEqual([err, status], ["", 0]);
  assert.deepEqual(documents.map(({ kind }) => kind), ["Deployment", "Service", "Deployment"]);
  assert.deepEqual(containers(documents[0]!), ["web", "mesh-proxy"]);
  assert.deepEqual(JSON.parse(JSON.stringify(documents[1])), {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web" },
  });
});

Deno.test("the reason for a workload without proxy is said, and the object stays", async () => {
  const refused = ', labels: {sidecar.mesh.io/inject: "false"}';
  const text = [
    DEPLOYMENT("own").replace("labels: {app: own}", refused.slice(2)),
    DEPLOYMENT("system", ", namespace: kube-system"),
    DEPLOYMENT("host").replace("spec: {containers", "spec: {hostNetwork: true, containers"),
  ].join("---\n");
  const { documents, err, status } = await injected(text);
  assert.equal(status, 0);
  assert.deepEqual(documents.map(containers), [["own"], ["system"], ["host"]]);
  assert.match(err, /Deployment\/own stays as it is: .*inject=false/);
  assert.match(err, /Deployment\/system stays as it is: .*kube-system/);
  assert.match(err, /Deployment\/host stays as it is: .*hostNetwork/);
});

Deno.test("--namespace is that of objects without one, and --output names a file", async () => {
  const text = [DEPLOYMENT("web"), DEPLOYMENT("shop", ", namespace: edge")].join("---\n");
  const { documents, out } = await injected(text, "-n=bank", "-o=DIR/out");
  assert.equal(out, "");
  const owners = documents.map(({ spec }) =>
    spec!.template.spec.containers.find(({ name }) => name === "mesh-proxy")!.env!
      .find(({ name }) => name === "MESH_META_OWNER")!.value
  );
  assert.match(owners[0]!, /namespaces\/bank\//);
  assert.match(owners[1]!, /namespaces\/edge\//);
  const system = await injected(DEPLOYMENT("web"), "-n=kube-system");
  assert.deepEqual(containers(system.documents[0]!), ["web"]);
});

Deno.test("parts of the configuration that do nothing are named", async () => {
  const both = ["--valuesFile=DIR/odd", "--meshConfigFile=DIR/odd"];
  const { err, status } = await injected(DEPLOYMENT("web"), ...both);
  assert.equal(status, 0);
  assert.match(err, /Warning: values\.hbu: no template reads it/);
  assert.match(err, /Warning: mesh configuration: hbu: /);
});

Deno.test("flags that do nothing here are named", async () => {
  const { err } = await injected(DEPLOYMENT("web"), "--authority=x", "--plaintext");
  assert.match(err, /--authority has no effect/);
  assert.match(err, /--plaintext has no effect/);
});

/** Arguments → the error. */
const REFUSED: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["no file", [], /^Error: filename not specified \(see --filename or -f\)/],
  ["a missing file", ["-f", "absent.yaml"], /^Error: open absent\.yaml: no such file or directory/],
];
for (const [what, argv, expected] of REFUSED) {
  Deno.test(`${what} is refused`, async () => {
    const [out, err, status] = await runInProcess(MESHCTL, ["kube-inject", ...argv]);
    assert.deepEqual([out, status], ["", 1]);
    assert.match(err, expected);
  });
}

Deno.test("wrong configurations are refused, and name the place", async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [["--injectConfigMapName=x"], /--injectConfigFile and --injectConfigMapName cannot be given/],
    [["--meshConfigFile=DIR/wrong"], /the mesh configuration: enableTracing: /],
    [["--valuesFile=DIR/absent"], /open .*absent: no such file/],
    [["--output=DIR/absent/out"], /cannot be written/],
  ];
  for (const [argv, expected] of cases) {
    const { err, status } = await injected(DEPLOYMENT("web"), ...argv);
    assert.match(err, expected);
    assert.equal(status, 1, err);
  }
  const { err, status } = await injected("a: [\n");
  assert.deepEqual([status, /in\.yaml: /.test(err)], [1, true]);
});

/** A MeshOperator, and a workload whose proxy shows its values. */
const OPERATOR = `apiVersion: install.mesh.io/v1alpha1
kind: MeshOperator
spec:
  profile: demo
  hub: own.example/mesh
  tag: 1.2.3
  meshConfig: { defaultConfig: { concurrency: 3 } }
  values: { global: { proxy: { logLevel: debug } } }
`;

interface Proxy {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly resources: { readonly requests: unknown };
}

async function injectedBy(operator: string, ...argv: string[]) {
  const dir = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${dir}/in.yaml`, DEPLOYMENT("web"));
    await Deno.writeTextFile(`${dir}/operator.yaml`, operator);
    await Deno.writeTextFile(`${dir}/config`, CONFIG);
    await Deno.writeTextFile(`${dir}/mesh`, "{}");
    const [out, err, status] = await runInProcess(MESHCTL, [
      ...["orch-inject", `-f=${dir}/in.yaml`],
      ...argv.map((one) => one.replace("DIR", dir)),
    ]);
    const [document] = [...readYaml(out)].map(({ document }) => document!.value as Document);
    const proxy = document?.spec?.template.spec.containers.find(({ name }) =>
      name === "mesh-proxy"
    );
    return { proxy: proxy as Proxy, err: err.replaceAll(dir, "DIR"), status };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("--operatorFileName injects as the installation of the file would, without a cluster", async () => {
  const { proxy, err, status } = await injectedBy(OPERATOR, "--operatorFileName=DIR/operator.yaml");
  assert.deepEqual([err, status], ["", 0]);
  assert.equal(proxy.image, "own.example/mesh/proxyv2:1.2.3");
  assert.deepEqual({ ...proxy.resources.requests as object }, { cpu: "10m", memory: "40Mi" });
  assert.ok(proxy.args.includes("--proxyLogLevel=debug"), proxy.args.join(" "));
  const config = proxy.env.find(({ name }) => name === "PROXY_CONFIG")?.value ?? "";
  assert.equal(JSON.parse(config).concurrency, 3);
});

Deno.test("--valuesFile takes the values of a MeshOperator", async () => {
  const { proxy, err, status } = await injectedBy(
    OPERATOR,
    ...[
      "--valuesFile=DIR/operator.yaml",
      "--injectConfigFile=DIR/config",
      "--meshConfigFile=DIR/mesh",
    ],
  );
  assert.deepEqual([err, status], ["", 0]);
  assert.equal(proxy.image, "own.example/mesh/proxyv2:1.2.3");
});

Deno.test("a MeshOperator for injection is read as for an installation", async () => {
  const flag = "--operatorFileName=DIR/operator.yaml";
  const warned = await injectedBy(OPERATOR.replace("logLevel", "logLevl"), flag);
  assert.equal(warned.status, 0);
  assert.match(
    warned.err,
    /^Warning: DIR\/operator\.yaml:8:\d+: spec\.values\.global\.proxy\.logLevl: unknown value "logLevl"\. Did you mean "logLevel"\?$/m,
  );
  const refused = await injectedBy(OPERATOR.replace("MeshOperator", "Other"), flag);
  assert.equal(refused.status, 1);
  assert.match(
    refused.err,
    /DIR\/operator\.yaml:2:7: kind: kind is "Other", and MeshOperator is expected/,
  );
});
