/**
 * The components that a document installs.
 *
 * @module
 */
import type { Path } from "../../kit/text/mod.ts";
import type { ChartSet } from "../charts/mod.ts";
import { type ComponentKind, COMPONENTS } from "./components.ts";
import type { Report } from "./problems.ts";
import { checkLabel, type Shared } from "./shared.ts";
import { isEmpty, isTree, type Tree, treeAt, valueAt } from "./tree.ts";

/** One component that is enabled. */
export interface Instance {
  readonly kind: ComponentKind;
  /** The path of its settings. */
  readonly path: Path;
  readonly settings: Tree;
  readonly name: string;
  readonly namespace: string;
}

/** The enabled components in the order of installation. */
export function instancesOf(
  root: Tree,
  { charts }: ChartSet,
  { namespace }: Shared,
  report: Report,
): Instance[] {
  const enabled = COMPONENTS.flatMap((kind) => settingsOf(root, kind)).filter((one) =>
    isEnabled(one, report)
  );
  const instances = enabled.map((one): Instance => ({
    ...one,
    name: one.kind.isList
      ? String(one.settings.name ?? "")
      : one.kind.workload?.name ?? one.kind.field,
    namespace: isEmpty(one.settings.namespace) ? namespace : String(one.settings.namespace),
  }));
  for (const { path, namespace: value, settings } of instances) {
    if (!isEmpty(settings.namespace)) {
      checkLabel({ path: [...path, "namespace"], value }, report.problem);
    }
  }
  refuseRepeated(instances, report.problem);
  if (!isEmpty(valueAt(root, ["spec", "components", "meshdRemote"]))) {
    report.warning({
      path: ["spec", "components", "meshdRemote"],
      code: "no-effect",
      message: "it has no effect",
      remedy: "Remove it.",
      target: "key",
    });
  }
  return instances.filter((one) => hasChart(one, charts, report));
}

type Settings = Pick<Instance, "kind" | "path" | "settings">;

function settingsOf(root: Tree, kind: ComponentKind): Settings[] {
  const path = ["spec", "components", kind.field];
  if (!kind.isList) return [{ kind, path, settings: treeAt(root, path) }];
  const list = valueAt(root, path);
  return (Array.isArray(list) ? list : []).flatMap((settings: unknown, at) =>
    isTree(settings) ? [{ kind, path: [...path, at], settings }] : []
  );
}

/** Gateways of a list are enabled unless they say otherwise. */
function isEnabled({ kind, path, settings }: Settings, { warning }: Report): boolean {
  if (settings.enabled === true || kind.isList && settings.enabled !== false) return true;
  if (!isEmpty(settings.k8s) && settings.enabled !== false) {
    warning({
      path: [...path, "k8s"],
      code: "no-effect",
      message: "the component is not enabled, so that its settings have no effect",
      remedy: `Set ${path.join(".")}.enabled to true.`,
      target: "key",
    });
  }
  return false;
}

function refuseRepeated(instances: readonly Instance[], problem: Report["problem"]): void {
  const seen = new Map<string, Instance>();
  for (const one of instances) {
    if (!one.kind.isList) continue;
    const key = JSON.stringify([one.namespace, one.name]);
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, one);
      continue;
    }
    problem({
      path: [...one.path, "name"],
      code: "conflict",
      message: `two gateways have the name "${one.name}" in the namespace ${one.namespace}`,
      remedy: "Give one of them another name or namespace.",
    });
  }
}

function hasChart(
  { kind, path }: Instance,
  charts: ChartSet["charts"],
  { problem }: Report,
): boolean {
  if (charts.has(kind.chart)) return true;
  problem({
    path,
    code: "no-chart",
    message: `there is no chart ${kind.chart} for the component ${kind.component}`,
    remedy: "Give a complete directory of charts with --manifests.",
  });
  return false;
}
