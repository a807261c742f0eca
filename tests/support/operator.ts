/**
 * A small set of charts for tests of the room `operator`.
 *
 * @module
 */
import { parseYaml } from "../../lib/kit/text/mod.ts";

import {
  type Chart,
  type ChartObject,
  type ChartSet,
  type InstallPlan,
  type OperatorInput,
  type OrchObject,
  planInstallation,
  problemText,
  type RenderInput,
} from "../../lib/cluster/operator/mod.ts";

/** A map of plain values. */
export type Tree = Record<string, unknown>;

/** The value at a path; `undefined` where there is none. */
export function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (at, step) => typeof at === "object" && at !== null ? Reflect.get(at, step) : undefined,
    root,
  );
}

const DATA = new URL("../../lib/cluster/operator/testdata/", import.meta.url);
const PROFILES = new URL("../../charts/profiles/", import.meta.url);

/** The charts of `testdata/charts` with the profiles of the project. */
export function testCharts(): ChartSet {
  const charts = ["base", "meshd", "gateway"].map((name): [string, Chart] => {
    const text = Deno.readTextFileSync(new URL(`charts/${name}/values.yaml`, DATA));
    const files = new Map<string, string>();
    try {
      const schema = new URL(`charts/${name}/values.schema.json`, DATA);
      files.set("values.schema.json", Deno.readTextFileSync(schema));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return [name, { name, version: "0.0.1", values: (parseYaml(text) ?? {}) as Tree, files }];
  });
  const profiles = [...Deno.readDirSync(PROFILES)].map(({ name }): [string, string] => [
    name.replace(/\.yaml$/, ""),
    Deno.readTextFileSync(new URL(name, PROFILES)),
  ]);
  return { charts: new Map(charts), profiles: new Map(profiles) };
}

/** Objects that stand for those of templates: they have every value that reached the chart. */
export function renderTest(chart: Chart, { release, values }: RenderInput): readonly ChartObject[] {
  const revision = valueAt(values, ["revision"]);
  const suffix = typeof revision === "string" && revision !== "" ? `-${revision}` : "";
  const meta = (name: string) => ({ name, namespace: release.namespace });
  const config: OrchObject & Tree = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: meta(`values-of-${release.name}${suffix}`),
    data: { values: JSON.stringify(values) },
  };
  const isGateway = chart.name === "gateway";
  const container = { name: isGateway ? "mesh-proxy" : "discovery", image: "auto" };
  const objects = chart.name === "base" ? [config] : [
    config,
    workload(meta(`${release.name}${isGateway ? "" : suffix}`), container),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: meta(`${release.name}${isGateway ? "" : suffix}`),
      spec: { ports: [{ name: "https", port: 443 }], type: "ClusterIP" },
    },
    ...isScaled(chart, values) ? [autoscaler(meta(release.name))] : [],
  ];
  return objects.map((object) => ({ source: `${chart.name}/templates/all.yaml`, object }));
}

function isScaled(chart: Chart, values: Tree): boolean {
  const path = chart.name === "gateway" ? ["autoscaling", "enabled"] : ["autoscaleEnabled"];
  return (valueAt(values, path) ?? valueAt(chart.values, path)) === true;
}

function workload(metadata: OrchObject["metadata"], container: Tree): OrchObject & Tree {
  const labels = { app: metadata.name };
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [container] } },
  };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata, spec };
}

function autoscaler(metadata: OrchObject["metadata"]): OrchObject & Tree {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata,
    spec: { minReplicas: 1, maxReplicas: 5 },
  };
}

/** A plan with the charts of tests. */
export function planned(input: Partial<OperatorInput> = {}): InstallPlan {
  return planInstallation({
    charts: testCharts(),
    render: renderTest,
    files: [],
    set: [],
    capabilities: { orchVersion: "v1.33.0", apiVersions: [] },
    isForced: false,
    version: "1.2.3",
    ...input,
  });
}

/** A document with a spec. */
export function operatorText(spec: string): string {
  const lines = spec.split("\n").map((line) => line === "" ? "" : `  ${line}`);
  return ["apiVersion: install.mesh.io/v1alpha1", "kind: MeshOperator", "spec:", ...lines, ""].join(
    "\n",
  );
}

/** The object of a kind in a component of a plan. */
export function objectOf(plan: InstallPlan, name: string, kind: string): Tree {
  const component = plan.components.find((one) => one.name === name);
  return { ...component?.objects.find((one) => one.kind === kind) };
}

/** Problems as lines. */
export function problemsOf({ problems }: InstallPlan): string[] {
  return problems.map((one) => `${problemText(one)}. ${one.remedy}`);
}
