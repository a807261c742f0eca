/**
 * The values of the charts of components.
 *
 * @module
 */
import type { Chart } from "../charts/mod.ts";
import { withChartNames } from "./gateway_values.ts";
import { COMPONENTS } from "./components.ts";
import type { Instance } from "./instances.ts";
import { type Known, knownOf } from "./known_values.ts";
import { mergedValues } from "./merge.ts";
import type { Shared } from "./shared.ts";
import { withNodeProxy, withPlugin } from "./plugin_values.ts";
import { isEmpty, isTree, type Tree, treeAt, withValue } from "./tree.ts";

/** Settings of a document, as the values of charts need them. */
export interface ValuesInput {
  readonly root: Tree;
  readonly shared: Shared;
  /** The values that all charts know. */
  readonly known: Known;
}

/** The values with which the chart of a component is rendered. */
export function chartValues(instance: Instance, chart: Chart, input: ValuesInput): Tree {
  const { root, shared } = input;
  const all = mergedValues(
    treeAt(root, ["spec", "values"]),
    treeAt(root, ["spec", "unvalidatedValues"]),
  );
  const common = withNodeProxy(
    withPlugin(withShared(all, shared), root),
    root,
    shared.namespace,
  );
  const own = knownOf(chart, instance.kind);
  const values = instance.kind.isList
    ? gatewayValues(all, common, instance, new Set(own.names))
    : componentValues(common, instance, own, input.known);
  return Object.entries(expressedSettings(instance, own)).reduce(
    (at, [, { path, value }]) => mergedValues(at, withValue({}, path, value)),
    values,
  );
}

/** Values that stand for settings of `k8s`, so that Helm applies them too, by the path in the chart. */
const SETTING_VALUES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  affinity: [["affinity"]],
  imagePullPolicy: [["imagePullPolicy"]],
  nodeSelector: [["nodeSelector"]],
  podAnnotations: [["podAnnotations"]],
  priorityClassName: [["priorityClassName"]],
  resources: [["resources"]],
  serviceAnnotations: [["serviceAnnotations"], ["service", "annotations"]],
  tolerations: [["tolerations"]],
};

/** The settings of `k8s` of a component that values of its chart express. */
export function expressedSettings(
  { settings, kind }: Instance,
  chart: Known,
): Readonly<Record<string, { readonly path: readonly string[]; readonly value: unknown }>> {
  if (kind.workload === undefined) return {};
  const found = Object.entries(treeAt(settings, ["k8s"])).flatMap(([name, value]) => {
    const path = SETTING_VALUES[name]?.find((one) =>
      knownBelow(chart, one)?.refusal(value) === undefined &&
      knownBelow(chart, one) !== undefined
    );
    return path === undefined || isEmpty(value) ? [] : [[name, { path, value }] as const];
  });
  return Object.fromEntries(found);
}

/** The knowledge of a path that a chart names. */
function knownBelow(chart: Known, path: readonly string[]): Known | undefined {
  return path.reduce<Known | undefined>(
    (at, name) => at?.names.includes(name) ? at.child(name) : undefined,
    chart,
  );
}

function componentValues(common: Tree, instance: Instance, own: Known, known: Known): Tree {
  const { kind, settings } = instance;
  const [root] = kind.valuesRoot;
  const image = Object.fromEntries(
    ["hub", "tag"].filter((name) => !isEmpty(settings[name])).map((name) => [name, settings[name]]),
  );
  if (kind.isApart) {
    const picked = withoutForeign({ global: treeAt(common, ["global"]) }, own, known);
    return mergedValues(mergedValues(picked, treeAt(common, kind.valuesRoot)), image);
  }
  const foreign = new Set(COMPONENTS.flatMap((one) => one.isApart ? one.valuesRoot : []));
  const values = withoutForeign(withoutRoots(common, foreign), own, known);
  if (own.names.includes(root!)) {
    return isEmpty(image) ? values : mergedValues(values, { [root!]: image });
  }
  return mergedValues(mergedValues(values, treeAt(common, kind.valuesRoot)), image);
}

function withoutRoots(values: Tree, roots: ReadonlySet<string>): Tree {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !roots.has(name)));
}

/** Values without those that only other charts know; those that nobody knows stay. */
function withoutForeign(values: Tree, own: Known, all: Known | undefined): Tree {
  const entries = Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
    // Maps with names of the user's own, such as variables, have a type for each of them.
    const isOwn = own.names.includes(name) || !own.isFree;
    const [mine, others] = [isOwn ? own.child(name) : undefined, all?.child(name)];
    if (mine !== undefined && isTree(value)) {
      const below = withoutForeign(value, mine, others);
      return isEmpty(below) && !isEmpty(value) ? [] : [[name, below]];
    }
    return mine !== undefined || own.isFree || others === undefined ? [[name, value]] : [];
  });
  return Object.fromEntries(entries);
}

function gatewayValues(
  all: Tree,
  common: Tree,
  { kind, name, settings }: Instance,
  names: ReadonlySet<string>,
): Tree {
  const [root, own] = kind.valuesRoot as [string, string];
  const shared = withChartNames(treeAt(all, [root, own]));
  const special = name === own ? {} : withChartNames(treeAt(all, [root, name]));
  const picked = Object.fromEntries(
    ["global", "revision"].filter((one) => names.has(one) && common[one] !== undefined).map((
      one,
    ) => [one, common[one]]),
  );
  const labels = isTree(settings.label) ? { labels: settings.label } : {};
  return mergedValues(
    picked,
    mergedValues(mergedValues(mergedValues(shared, special), labels), { name }),
  );
}

/** Values with the settings that several components share. */
function withShared(values: Tree, { hub, tag, revision, namespace, meshConfig }: Shared): Tree {
  const settings: readonly (readonly [readonly string[], unknown])[] = [
    [["global", "hub"], hub],
    [["global", "tag"], tag],
    [["global", "meshNamespace"], namespace],
    [["revision"], revision === "" ? undefined : revision],
    [["meshConfig"], isEmpty(meshConfig) ? undefined : meshConfig],
  ];
  return settings.reduce(
    (at, [path, value]) => value === undefined ? at : withValue(at, path, value),
    withValue(values, ["revision"], undefined),
  );
}
