/**
 * The charts, rendered by Helm and by Mesh.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  chartFrom,
  type ChartObject,
  embeddedCharts,
  renderChart,
  type RenderInput,
} from "../../lib/cluster/charts/mod.ts";
import { injectPod, parseInjectionConfig, type Pod } from "../../lib/cluster/inject/mod.ts";
import { defaultMeshConfig } from "../../lib/mesh/schema/mod.ts";
import { readYaml, toYaml } from "../../lib/kit/text/mod.ts";
import { helmProgram, lackingHelm } from "../../scripts/cluster/helm_program.ts";
import { fromFileUrl } from "../../scripts/paths.ts";
import { MESHCTL } from "../../cmd/meshctl/program.ts";
import { clusterTest } from "../support/cluster.ts";
import { runInProcess } from "../support/program_run.ts";
import { EXPRESSIONS, VALUES } from "./charts/expressions.ts";
import { CHART_CASES, type ChartCase, REFUSED } from "./charts/values.ts";

const CHARTS = fromFileUrl(new URL("../../charts", import.meta.url));
const lacking = lackingHelm();

/** Renderings with which every kind of object is made, but those of the Prometheus operator. */
const SERVED: readonly ChartCase[] = [
  { chart: "base", values: {} },
  { chart: "meshd", values: { autoscaleMin: 2, global: { networkPolicy: { enabled: true } } } },
  {
    chart: "meshd",
    values: {
      revision: "canary",
      revisionTags: ["prod"],
      sidecarInjectorWebhook: { failurePolicy: "Ignore" },
    },
  },
  // Its pods need the folders of the node.
  { chart: "cni", values: { resourceQuotas: { enabled: true } }, namespace: "mesh-cni" },
  { chart: "cni", values: { ambient: { enabled: true } }, namespace: "mesh-cni" },
  { chart: "ztunnel", values: { resourceQuotas: { enabled: true } }, namespace: "mesh-system" },
  {
    chart: "gateway",
    values: {
      name: "mesh-ingressgateway",
      podDisruptionBudget: { minAvailable: 1 },
      networkPolicy: { enabled: true },
    },
  },
];

/** A test that runs Helm; skipped where it is not built. */
function helmTest(name: string, run: (helm: string) => Promise<void>): void {
  const reason = lacking === undefined ? "" : ` [${lacking}]`;
  Deno.test({
    name: `${name}${reason}`,
    ignore: lacking !== undefined,
    fn: async () => run(await helmProgram()),
  });
}

helmTest("Helm and Mesh make the same objects in the same order", async (helm) => {
  assert.ok(CHART_CASES.length >= 30);
  for (const one of CHART_CASES) {
    const name = `${one.chart} ${JSON.stringify(one.values)}`;
    const { success, out, err } = await template(helm, one);
    assert.ok(success, `${name}: ${err}`);
    const [theirs, ours] = [objectsOf(out), rendered(one).map(plain)];
    const names = (objects: typeof ours) =>
      objects.map(({ source, object }) => {
        const { kind, metadata } = object as { kind: string; metadata: { name: string } };
        return `${source} ${kind} ${metadata.name}`;
      });
    assert.deepEqual(names(ours), names(theirs), name);
    for (const [at, object] of ours.entries()) assert.deepEqual(object, theirs[at], name);
  }
});

helmTest("Helm and Mesh refuse the same values", async (helm) => {
  for (const one of REFUSED) {
    const name = `${one.chart} ${JSON.stringify(one.values)}`;
    assert.throws(() => rendered(one), one.message, name);
    assert.equal((await template(helm, one)).success, false, name);
  }
});

helmTest("Helm and Mesh evaluate functions alike", async (helm) => {
  const lines = EXPRESSIONS.map((one, at) =>
    `  k${at}: |-\n    >{{ ${one} | print | nindent 4 }}\n`
  );
  const files = new Map([
    [
      "Chart.yaml",
      "apiVersion: v2\nname: demo\nversion: 1.2.3\nappVersion: 4.5.6\ntype: application\n",
    ],
    [
      "templates/c.yaml",
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n${lines.join("")}`,
    ],
    [
      "templates/_helpers.tpl",
      '{{ define "demo.name" }}{{ .Chart.Name }}-{{ .Release.Name }}{{ end }}',
    ],
    ["a.txt", "one\ntwo\n"],
    ["b.txt", "x"],
  ]);
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${folder}/templates`);
    for (const [path, text] of files) await Deno.writeTextFile(`${folder}/${path}`, text);
    const { success, out, err } = await template(helm, {
      folder,
      values: VALUES,
    });
    assert.ok(success, err);
    const [ours] = renderChart(chartFrom("demo", files), inputOf({ values: VALUES }));
    const data = (object: unknown) => (object as { data: Record<string, string> }).data;
    const theirs = data(objectsOf(out)[0]!.object);
    for (const [at, expression] of EXPRESSIONS.entries()) {
      assert.equal(data(ours!.object)[`k${at}`], theirs[`k${at}`], expression);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

helmTest("Helm finds nothing to complain about in the charts", async (helm) => {
  for (const chart of ["base", "meshd", "cni", "ztunnel", "gateway"]) {
    const { success, out, err } = await run(helm, ["lint", "--strict", `${CHARTS}/${chart}`]);
    assert.ok(success && !/\[(WARNING|ERROR)\]/.test(out), `${out}${err}`);
  }
});

clusterTest(
  "an API server takes every object, and pods under restricted Pod Security",
  async (cluster) => {
    const apply = async (text: string, ...flags: string[]) => {
      const args = ["apply", "--server-side", "--validate=strict", ...flags, "-f", "-"];
      const { success, text: said } = await cluster.run(args, text);
      assert.ok(success, said);
    };
    await apply(
      `apiVersion: v1
kind: Namespace
metadata: {name: mesh-system, labels: {pod-security.kubernetes.io/enforce: restricted}}
---
apiVersion: v1
kind: Namespace
metadata: {name: mesh-cni}
`,
      "--force-conflicts",
    );
    const pods: Pod[] = [];
    for (const one of SERVED) {
      const objects = rendered(one);
      await apply(
        objects.map(({ object }) => `---\n${toYaml(object)}`).join(""),
        "--force-conflicts",
      );
      pods.push(...objects.flatMap(({ object }) => podOf(object)));
    }
    // No daemon answers here.
    const { success, text } = await cluster.run([
      "delete",
      "mutatingwebhookconfigurations",
      "--all",
    ]);
    assert.ok(success, text);
    assert.equal(pods.length, 3);
    for (const pod of pods) {
      const { success, text } = await cluster.run(
        ["create", "--dry-run=server", "--validate=strict", "-n", "mesh-system", "-f", "-"],
        toYaml(JSON.parse(JSON.stringify(pod))),
      );
      assert.ok(success && !text.includes("Warning"), text);
    }
  },
);

clusterTest("a tag default keeps what it has when Helm upgrades", async (cluster) => {
  if (lacking !== undefined) return;
  const helm = await helmProgram();
  const install = async (chart: string, release: string, ...flags: string[]) => {
    const args = ["upgrade", "--install", release, `${CHARTS}/${chart}`, "-n=mesh-system"];
    const { success, err } = await run(helm, [
      ...[...args, "--create-namespace", `--kubeconfig=${cluster.files.kubeconfig}`, ...flags],
    ]);
    assert.ok(success, err);
  };
  const get = async (kind: string, name: string, path: string) => {
    const { success, text } = await cluster.run(["get", kind, name, `-o=jsonpath=${path}`]);
    assert.ok(success, text);
    return text;
  };
  const tag = async (...args: string[]) => {
    const all = ["tag", ...args, "-y", "-c", cluster.files.kubeconfig];
    const [, err, status] = await runInProcess(MESHCTL, all);
    assert.equal(status, 0, err);
  };
  const state = async () => [
    (await get(
      ...["mutatingwebhookconfiguration", "mesh-sidecar-injector"] as const,
      "{.webhooks[*].namespaceSelector.matchLabels}",
    )).includes("never-match"),
    await get(
      ...["validatingwebhookconfiguration", "meshd-default-validator"] as const,
      "{.webhooks[*].clientConfig.service.name} {.metadata.labels.mesh\\.io/rev}",
    ),
  ];
  const releases = async () => {
    await install("base", "base");
    await install("meshd", "meshd");
  };
  await releases();
  await install("meshd", "canary", "--set=revision=canary");
  assert.deepEqual(await state(), [false, "meshd default"]);
  await tag("set", "default", "--revision", "canary");
  assert.deepEqual(await state(), [true, "meshd-canary canary"]);
  await releases();
  assert.deepEqual(await state(), [true, "meshd-canary canary"]);
  await tag("remove", "default");
  await releases();
  assert.deepEqual(await state(), [false, "meshd default"]);
}, { roles: "none" });

/** The pod of a Deployment; that of a gateway is injected as the chart of the control plane says. */
function podOf(object: unknown): Pod[] {
  const { kind, spec } = object as {
    readonly kind: string;
    readonly spec?: {
      readonly template?: { readonly metadata: Pod["metadata"]; readonly spec: Pod["spec"] };
    };
  };
  if (kind !== "Deployment" || spec?.template === undefined) return [];
  const metadata = { ...spec.template.metadata, name: "tried" };
  const pod = { apiVersion: "v1", kind: "Pod", metadata, spec: spec.template.spec } as Pod;
  if (pod.spec?.containers?.[0]?.image !== "auto") return [pod];
  const injector = rendered({ chart: "meshd", values: {} })
    .find((one) =>
      one.object.metadata.name === "mesh-sidecar-injector" && one.object.kind === "ConfigMap"
    );
  const { config, values } = (injector!.object as unknown as { data: Record<string, string> }).data;
  return [injectPod(pod, {
    config: parseInjectionConfig({ config: config!, values: values! }),
    mesh: defaultMeshConfig(),
    revision: "",
    nativeSidecars: false,
    compliancePolicy: "",
    workload: { apiVersion: "v1", kind: "Pod", name: "tried", namespace: "mesh-system" },
  })];
}

function rendered(one: ChartCase): ChartObject[] {
  return renderChart(embeddedCharts().charts.get(one.chart)!, inputOf(one));
}

function inputOf({ values, namespace, orchVersion }: Omit<ChartCase, "chart">): RenderInput {
  return {
    release: { name: "demo", namespace: namespace ?? "mesh-system" },
    values,
    capabilities: { orchVersion: orchVersion ?? "1.33.0", apiVersions: [] },
  };
}

async function template(
  helm: string,
  { chart, folder, values, namespace, orchVersion }: Partial<ChartCase> & { folder?: string },
) {
  const file = await Deno.makeTempFile({ suffix: ".yaml" });
  try {
    await Deno.writeTextFile(file, toYaml(values));
    return await run(helm, [
      ...[
        "template",
        "demo",
        folder ?? `${CHARTS}/${chart}`,
        `--namespace=${namespace ?? "mesh-system"}`,
      ],
      ...[`--values=${file}`, `--kube-version=${orchVersion ?? "1.33.0"}`],
    ]);
  } finally {
    await Deno.remove(file);
  }
}

async function run(helm: string, args: readonly string[]) {
  const home = await Deno.makeTempDir();
  try {
    const { success, stdout, stderr } = await new Deno.Command(helm, {
      args: [...args],
      clearEnv: true,
      env: { HOME: home },
    }).output();
    const text = new TextDecoder();
    return { success, out: text.decode(stdout), err: text.decode(stderr) };
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

/** The objects in Helm's output, with the templates that it names in comments. */
function objectsOf(output: string) {
  return output.split(/^---\n/m).filter((text) => text.trim() !== "").map((text) => {
    const source = /^# Source: (\S+)$/m.exec(text)?.[1];
    const [result] = readYaml(text);
    return plain({ source: source!, object: result?.document?.value });
  });
}

/** With plain maps, which `deepEqual` compares by their entries alone. */
function plain({ source, object }: { readonly source: string; readonly object: unknown }) {
  return { source, object: JSON.parse(JSON.stringify(object)) as unknown };
}
