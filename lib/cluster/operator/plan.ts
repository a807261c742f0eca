/**
 * From documents and settings to the objects of an installation.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import type { ComponentPlan, InstallPlan, OperatorInput } from "./api.ts";
import { type Chart, renderChart } from "../charts/mod.ts";
import { chartValues, expressedSettings } from "./chart_values.ts";
import { type Effective, effectiveOperator } from "./effective.ts";
import { type Instance, instancesOf } from "./instances.ts";
import { settingNames, withK8sSettings } from "./k8s_settings.ts";
import { type Known, knownOf } from "./known_values.ts";
import { type Ownership, withLabels } from "./labels.ts";
import { checkMesh } from "./mesh_check.ts";
import { withOverlays } from "./overlays.ts";
import type { Report } from "./problems.ts";
import { type Shared, sharedSettings } from "./shared.ts";
import { type Tree, treeAt, valueAt } from "./tree.ts";
import { checkValues, knownValues } from "./values_check.ts";

/** Plans an installation. Nothing is read or written. */
export function planInstallation(input: OperatorInput): InstallPlan {
  const effective = effectiveOperator(input);
  const { root, report, profile, sources } = effective;
  const shared = sharedSettings({ root, sources, problem: report.problem });
  const instances = instancesOf(root, input.charts, shared, report);
  const gateways = instances.filter(({ kind }) => kind.isList).map(({ name }) => name);
  const known = knownValues(input.charts, gateways);
  checkValues(treeAt(root, ["spec", "values"]), known, ["spec", "values"], report.problem);
  checkMesh(shared.meshConfig, report);
  const plan = {
    operator: root,
    profile,
    revision: shared.revision === "" ? "default" : shared.revision,
    namespace: shared.namespace,
  };
  const components = effective.problems.length > 0
    ? []
    : instances.map((one) => componentPlan(one, { ...effective, input, shared, known }));
  const { problems, warnings } = effective;
  return { ...plan, components: problems.length > 0 ? [] : components, problems, warnings };
}

/** Input of the plans of all components. */
interface Planning extends Effective {
  readonly input: OperatorInput;
  readonly shared: Shared;
  readonly known: Known;
}

function componentPlan(instance: Instance, planning: Planning): ComponentPlan {
  const { input, shared, root, report, known } = planning;
  const { kind, name, namespace } = instance;
  const chart = input.charts.charts.get(kind.chart)!;
  const values = chartValues(instance, chart, { root, shared, known });
  const rendered = render(chart, instance, values, planning);
  const set = withOverlays(
    withK8sSettings(rendered, instance, {
      hub: shared.hub ?? "mesh",
      tag: shared.tag ?? input.version,
      report,
    }),
    instance,
    report.problem,
  );
  const expressed = expressedSettings(instance, knownOf(chart, kind));
  const ownership = ownershipOf(root, planning);
  return {
    component: kind.component,
    name,
    namespace,
    chart: kind.chart,
    values: values,
    objects: set.map((object) => withLabels(object, instance, ownership)),
    unrendered: settingNames(instance).filter((one) => !Object.hasOwn(expressed, one)).map((one) =>
      [...instance.path, "k8s", one].join(".")
    ),
  };
}

function ownershipOf(root: Tree, { input, shared }: Planning): Ownership {
  const name = valueAt(root, ["metadata", "name"]);
  return {
    owner: typeof name === "string" && name !== "" ? name : "unknown",
    version: input.version,
    revision: shared.revision === "" ? "default" : shared.revision,
  };
}

function render(
  chart: Chart,
  { kind, name, namespace, path }: Instance,
  values: Tree,
  { input, report }: Planning,
): ComponentPlan["objects"] {
  try {
    const release = { name, namespace };
    const { capabilities, lookup } = input;
    return renderChart(chart, { release, values: values, capabilities, lookup })
      .map(({ object }) => object);
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    fatalOf(report, error, { path, chart: chart.name, component: kind.component });
    return [];
  }
}

function fatalOf(
  { fatal }: Report,
  error: MeshError,
  { path, chart }: {
    readonly path: Instance["path"];
    readonly chart: string;
    readonly component: string;
  },
): void {
  fatal({
    path,
    code: error.code,
    message: error.message,
    remedy: error.remedy ?? "Correct the values of the component.",
    origin: { file: `chart ${chart}` },
  });
}
