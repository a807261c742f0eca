/** `manifest` and `profile`, with the charts of the program. */
import assert from "node:assert/strict";
import { readYaml } from "../../lib/kit/text/mod.ts";
import { embeddedCharts, type JsonObject, renderChart } from "../../lib/cluster/charts/mod.ts";
import { planInstallation } from "../../lib/cluster/operator/mod.ts";
import { USUAL_CLUSTER } from "../../lib/cluster/manifests/mod.ts";
import { runInProcess } from "../../tests/support/program_run.ts";
import { MESHCTL } from "./program.ts";

/** Runs a command; `DIR` in arguments is a folder with the files. */
async function run(files: Readonly<Record<string, string>>, ...argv: string[]) {
  const dir = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.mkdir(`${dir}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
      await Deno.writeTextFile(`${dir}/${name}`, text);
    }
    const args = argv.map((one) => one.replaceAll("DIR", dir));
    const [out, err, status] = await runInProcess(MESHCTL, args);
    const made = new Map<string, string>();
    await Deno.mkdir(`${dir}/out`, { recursive: true });
    for await (const { name } of Deno.readDir(`${dir}/out`)) {
      made.set(name, await Deno.readTextFile(`${dir}/out/${name}`));
    }
    return { out: out.replaceAll(dir, "DIR"), err: err.replaceAll(dir, "DIR"), status, made };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

interface Shown {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels: Record<string, string>;
  };
}

function documents(text: string): Shown[] {
  return [...readYaml(text)].map(({ document }) => document!.value as Shown);
}

const HEAD = "apiVersion: install.mesh.io/v1alpha1\nkind: MeshOperator\n";
const DEPLOYMENT = (name: string, replicas: number) =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: ${name}, namespace: a }\nspec: { replicas: ${replicas}, ports: [{ name: x, port: ${replicas} }] }\n`;

Deno.test("manifest generate prints the objects of a profile with labels, components in order", async () => {
  const { out, err, status } = await run(
    {},
    "manifest",
    "generate",
    "--set",
    "profile=demo",
    "-r",
    "canary",
  );
  assert.deepEqual([err, status], ["", 0]);
  const objects = documents(out);
  const components = objects.map(({ metadata }) => metadata.labels["operator.mesh.io/component"]);
  assert.deepEqual([...new Set(components)], [
    "Base",
    "Pilot",
    "IngressGateways",
    "EgressGateways",
  ]);
  for (const { metadata } of objects) {
    assert.equal(metadata.labels["operator.mesh.io/managed"], "Reconcile", metadata.name);
  }
  assert.deepEqual(
    objects.filter(({ kind }) => kind === "Deployment").map(({ metadata }) => metadata.name),
    ["meshd-canary", "mesh-ingressgateway", "mesh-egressgateway"],
  );
});

Deno.test("--meshNamespace is the namespace of the installation", async () => {
  const { out } = await run(
    {},
    "manifest",
    "generate",
    "--meshNamespace",
    "own",
    "--component",
    "Pilot",
  );
  const namespaces = documents(out).map(({ metadata }) => metadata.namespace);
  assert.deepEqual([...new Set(namespaces)].sort(), ["own", undefined]);
});

Deno.test("manifest generate -o writes a file for each component, --component chooses", async () => {
  const { made, out, status } = await run({}, "manifest", "generate", "-o", "DIR/out");
  assert.deepEqual([out, status], ["", 0]);
  assert.deepEqual([...made.keys()].sort(), [
    "base.yaml",
    "mesh-ingressgateway.yaml",
    "meshd.yaml",
  ]);
  const one = await run({}, "manifest", "generate", "--component", "ingressgateways");
  assert.deepEqual(
    [
      ...new Set(
        documents(one.out).map(({ metadata }) => metadata.labels["operator.mesh.io/component"]),
      ),
    ],
    ["IngressGateways"],
  );
});

Deno.test("manifest generate names all problems with file and line, and prints nothing", async () => {
  const files = {
    "mesh.yaml": `${HEAD}spec:\n  hubb: x\n  values:\n    pilot:\n      autoscaleEnabled: 3\n`,
  };
  const { out, err, status } = await run(files, "manifest", "generate", "-f", "DIR/mesh.yaml");
  assert.deepEqual([out, status], ["", 1]);
  assert.equal(
    err,
    'Error: DIR/mesh.yaml:4:3: spec.hubb: unknown field "hubb". Did you mean "hub"?\n' +
      "Error: DIR/mesh.yaml:7:25: spec.values.pilot.autoscaleEnabled: it is the number 3, and true or false is expected. Give true or false.\n" +
      "Give --force to go on despite problems of validation.\n",
  );
});

Deno.test("manifest generate --charts is deprecated, and a folder without charts is refused", async () => {
  const { err, status } = await run({ "a/b": "" }, "manifest", "generate", "--charts", "DIR/a");
  assert.equal(status, 1);
  assert.match(err, /--charts is deprecated[^]*DIR\/a has no charts/);
});

/** Settings of which values of charts express all. */
const EXPRESSED: readonly (readonly string[])[] = [
  ["profile=default"],
  ["profile=demo"],
  ["profile=minimal", "revision=canary", "hub=own.example/mesh", "tag=1.10"],
  [
    "profile=openshift",
    "values.global.logging.level=default:debug",
    "values.global.proxy.logLevel=info",
  ],
  ["profile=preview", "components.pilot.k8s.nodeSelector.zone=a", "values.pilot.env.A=b"],
  [
    "compatibilityVersion=1.21",
    "values.pilot.autoscaleEnabled=false",
    "values.pilot.replicaCount=2",
  ],
  [
    "components.pilot.k8s.resources.limits.memory=1Gi",
    "components.pilot.hub=other",
    "components.pilot.tag=x",
  ],
  [
    "components.ingressGateways.[name:own].label.team=a",
    "components.ingressGateways.[name:own].namespace=edge",
    "components.ingressGateways.[name:own].k8s.serviceAnnotations.a=b",
    "components.ingressGateways.[name:own].k8s.tolerations={}",
    "values.gateways.own.autoscaleMax=7",
    "values.gateways.mesh-ingressgateway.type=NodePort",
  ],
];

for (const set of EXPRESSED) {
  Deno.test(`the values of manifest translate make what is generated: ${set.join(" ")}`, () => {
    const charts = embeddedCharts();
    const plan = planInstallation({
      ...{ charts, files: [], set, capabilities: USUAL_CLUSTER, isForced: false, version: "1" },
    });
    assert.deepEqual(plan.problems, []);
    assert.deepEqual(plan.warnings, []);
    for (const { chart, name, namespace, values, objects, unrendered } of plan.components) {
      assert.deepEqual(unrendered, []);
      const rendered = renderChart(charts.charts.get(chart)!, {
        ...{ release: { name, namespace }, values, capabilities: USUAL_CLUSTER },
      });
      assert.deepEqual(
        objects.map((object) => withoutOwnLabels(object)),
        rendered.map(({ object }) => withoutOwnLabels(object)),
      );
    }
  });
}

/** An object without the labels that only installations write. */
function withoutOwnLabels(object: object): JsonObject {
  const { metadata, ...rest } = JSON.parse(JSON.stringify(object)) as Shown & JsonObject;
  const labels = Object.entries(metadata.labels ?? {}).filter(([name]) =>
    !name.includes("operator.mesh.io/") && name !== "mesh.io/rev"
  );
  return { ...rest, metadata: { ...metadata, labels: Object.fromEntries(labels) } };
}

Deno.test("manifest translate names settings that no value expresses", async () => {
  const set = "components.pilot.k8s.hpaSpec.maxReplicas=9";
  const { out, err, status, made } = await run(
    {},
    "manifest",
    "translate",
    "--set",
    set,
    "-o",
    "DIR/out",
  );
  assert.deepEqual([out, status], ["", 0]);
  assert.match(err, /spec\.components\.pilot\.k8s\.hpaSpec: no value of the chart expresses it/);
  assert.deepEqual([...made.keys()].sort(), [
    "base-values.yaml",
    "mesh-ingressgateway-values.yaml",
    "meshd-values.yaml",
  ]);
  assert.match(
    made.get("meshd-values.yaml")!,
    /^# Pilot: helm upgrade --install meshd charts\/meshd /,
  );
});

Deno.test("manifest diff shows fields, and the status is 1", async () => {
  const files = {
    "a.yaml": DEPLOYMENT("web", 1),
    "b.yaml": DEPLOYMENT("web", 2) + "---\n" + DEPLOYMENT("new", 1),
  };
  const same = await run(files, "manifest", "diff", "DIR/a.yaml", "DIR/a.yaml");
  assert.deepEqual([same.out, same.status], ["1 objects are equal.\n", 0]);
  const { out, status } = await run(files, "manifest", "diff", "DIR/a.yaml", "DIR/b.yaml");
  assert.equal(status, 1);
  assert.equal(
    out,
    "Deployment:a:web\n  ~ spec.replicas: 1 → 2\n  ~ spec.ports[x].port: 1 → 2\n" +
      "Deployment:a:new is only in DIR/b.yaml\n" +
      "1 objects differ, 0 only in DIR/a.yaml, 1 only in DIR/b.yaml\n",
  );
});

Deno.test("manifest diff selects, ignores and renames objects, also of directories", async () => {
  const files = {
    "a/x.yaml": DEPLOYMENT("web", 1),
    "a/sub/y.yaml": DEPLOYMENT("shop", 1),
    "b/x.yaml": DEPLOYMENT("web-canary", 1) + "---\n" + DEPLOYMENT("shop", 3),
  };
  const diff = (...more: string[]) => run(files, "manifest", "diff", "DIR/a", "DIR/b", ...more);
  const rename = ["--rename", "Deployment:*:web=*:*:web-canary"];
  assert.equal((await diff(...rename, "--ignore", "*:*:shop", "--directory")).status, 0);
  assert.equal((await diff(...rename, "--select", "deployment:a:web*")).status, 0);
  assert.match((await diff(...rename)).out, /^Deployment:a:shop\n {2}~ spec.replicas: 1 → 3\n/);
  assert.match((await diff("-v")).out, /is only in DIR\/a\n {2}- apiVersion: apps\/v1\n/);
  const wrong = await diff("--select", "a:b:c:d");
  assert.equal(wrong.status, 64);
  assert.match(wrong.err, /Write Kind:namespace:name/);
  const file = await run(files, "manifest", "diff", "-r", "DIR/a/x.yaml", "DIR/b");
  assert.deepEqual([file.status, /is no directory/.test(file.err)], [64, true]);
});

Deno.test("manifest diff names the place of what it cannot read", async () => {
  const files = {
    "a.yaml": "a: [\n",
    "b.yaml": "kind: X\n",
    "c.yaml": DEPLOYMENT("x", 1) + "---\n" + DEPLOYMENT("x", 1),
  };
  const errors = async (file: string) =>
    (await run(files, "manifest", "diff", file, file)).err.split("\n")[0];
  assert.match((await errors("DIR/a.yaml"))!, /DIR\/a\.yaml:\d+:\d+: /);
  assert.equal(
    await errors("DIR/b.yaml"),
    "Error: DIR/b.yaml:1: the document has no apiVersion, no kind, or no metadata.name",
  );
  assert.equal(await errors("DIR/c.yaml"), "Error: DIR/c.yaml: Deployment:a:x occurs twice");
});

Deno.test("profile list has each profile with a sentence", async () => {
  const { out, status } = await run({}, "profile", "list");
  assert.equal(status, 0);
  const lines = out.split("\n").slice(1, out.split("\n").indexOf(""));
  assert.ok(lines.every((line) => /^\S+ {2,}\S.*\.$/.test(line)), out);
  assert.deepEqual(
    lines.map((line) => line.split(" ")[0]),
    [
      "ambient",
      "default",
      "demo",
      "empty",
      "minimal",
      "openshift",
      "openshift-ambient",
      "preview",
      "remote",
      "stable",
    ],
  );
  assert.match(out, /gke, k3d, k3s, microk8s, minikube, openshift\n$/);
});

Deno.test("profile dump prints a part, JSON, or settings that make the same again", async () => {
  const part = await run(
    {},
    "profile",
    "dump",
    "demo",
    "-p",
    "components.pilot.k8s.resources.requests.cpu",
  );
  assert.deepEqual([part.out, part.status], ["10m\n", 0]);
  const nowhere = await run({}, "profile", "dump", "-p", "spec.components.pilott");
  assert.equal(
    nowhere.err,
    'Error: there is nothing at spec.components.pilott: no "pilott"\nDid you mean "pilot"?\n',
  );
  const files = {
    "mesh.yaml":
      `${HEAD}spec:\n  profile: demo\n  tag: "1.10"\n  values: { pilot: { env: { A: "true", b.c: "1" } } }\n`,
  };
  const flags = await run(files, "profile", "dump", "-f", "DIR/mesh.yaml", "-o", "flags");
  assert.match(flags.out, /^tag=1\.10$|^tag="1\.10"$/m);
  const set = flags.out.trim().split("\n").filter((line) => !line.endsWith("={}")).flatMap((
    line,
  ) => ["--set", line]);
  const again = await run({}, "profile", "dump", "-o", "json", ...set);
  const first = await run(files, "profile", "dump", "-f", "DIR/mesh.yaml", "-o", "json");
  assert.deepEqual(JSON.parse(again.out), JSON.parse(first.out));
  const both = await run(files, "profile", "dump", "demo", "-f", "DIR/mesh.yaml");
  assert.equal(both.status, 64);
});

Deno.test("profile diff compares profiles and files", async () => {
  const { out, status } = await run({}, "profile", "diff", "default", "minimal");
  assert.deepEqual([out, status], [
    "~ spec.components.ingressGateways[mesh-ingressgateway].enabled: true → false\n",
    1,
  ]);
  const files = { "mesh.yaml": `${HEAD}spec: { profile: demo }\n` };
  const equal = await run(files, "profile", "diff", "demo", "DIR/mesh.yaml");
  assert.deepEqual([equal.out, equal.status], ["The profiles are equal.\n", 0]);
  const unknown = await run({}, "profile", "diff", "default", "dmeo");
  assert.match(unknown.err, /there is no profile "dmeo"\. Did you mean "demo"\?/);
});
