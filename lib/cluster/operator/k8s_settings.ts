/**
 * The settings of `k8s`, merged over the objects of a component.
 *
 * @module
 */
import { strategicMerge } from "../inject/mod.ts";
import type { OrchObject } from "../../kit/orch/mod.ts";
import type { Instance } from "./instances.ts";
import type { Report } from "./problems.ts";
import { isEmpty, isTree, type Tree, treeAt, valueAt } from "./tree.ts";

/** The object on which a setting acts: the workload of the component, or one of a kind. */
type Target = "workload" | "Service" | "HorizontalPodAutoscaler" | "PodDisruptionBudget";

interface SettingKind {
  readonly target: Target;
  /** The part of the object that the setting gives; `container` is the name of the container. */
  readonly patch: (value: unknown, container: string) => Tree;
}

function ofPod(field: string): SettingKind {
  return { target: "workload", patch: (value) => pod({ spec: { [field]: value } }) };
}

function ofContainer(field: string, change = (value: unknown) => value): SettingKind {
  return {
    target: "workload",
    patch: (value, name) => pod({ spec: { containers: [{ name, [field]: change(value) }] } }),
  };
}

function pod(template: Tree): Tree {
  return { spec: { template } };
}

function ofSpec(target: Target, field?: string, change = (value: unknown) => value): SettingKind {
  return {
    target,
    patch: (value) => ({ spec: field === undefined ? change(value) : { [field]: change(value) } }),
  };
}

/** Each setting but the overlays. */
const SETTINGS: Readonly<Record<string, SettingKind>> = {
  affinity: ofPod("affinity"),
  env: ofContainer("env"),
  hpaSpec: ofSpec("HorizontalPodAutoscaler"),
  imagePullPolicy: ofContainer("imagePullPolicy"),
  nodeSelector: ofPod("nodeSelector"),
  podAnnotations: {
    target: "workload",
    patch: (annotations) => pod({ metadata: { annotations } }),
  },
  podDisruptionBudget: ofSpec("PodDisruptionBudget", undefined, oneLimit),
  priorityClassName: ofPod("priorityClassName"),
  readinessProbe: ofContainer("readinessProbe", oneHandler),
  replicaCount: ofSpec("workload", "replicas"),
  resources: ofContainer("resources"),
  securityContext: ofPod("securityContext"),
  service: ofSpec("Service"),
  serviceAnnotations: {
    target: "Service",
    patch: (annotations) => ({ metadata: { annotations } }),
  },
  strategy: ofSpec("workload", "strategy", oneStrategy),
  tolerations: ofPod("tolerations"),
  volumeMounts: ofContainer("volumeMounts"),
  volumes: ofPod("volumes"),
};

const HANDLERS = ["exec", "grpc", "httpGet", "tcpSocket"];

/** A probe has one handler: another one takes away that of the chart. */
function oneHandler(probe: unknown): unknown {
  if (!isTree(probe) || !HANDLERS.some((name) => Object.hasOwn(probe, name))) return probe;
  return { ...Object.fromEntries(HANDLERS.map((name) => [name, null])), ...probe };
}

/** A budget has one limit. */
function oneLimit(budget: unknown): unknown {
  if (!isTree(budget)) return budget;
  if (budget.minAvailable !== undefined) return { maxUnavailable: null, ...budget };
  return budget.maxUnavailable === undefined ? budget : { minAvailable: null, ...budget };
}

/** Without rolling updates there are no settings of them. */
function oneStrategy(strategy: unknown): unknown {
  return isTree(strategy) && strategy.type === "Recreate"
    ? { rollingUpdate: null, ...strategy }
    : strategy;
}

/** Names of the settings of a component that change its objects. */
export function settingNames({ settings }: Instance): string[] {
  return Object.keys(treeAt(settings, ["k8s"])).filter((name) =>
    !isEmpty(valueAt(settings, ["k8s", name]))
  );
}

/** The objects with the settings of `k8s`. A setting that finds no object is a problem. */
export function withK8sSettings(
  objects: readonly OrchObject[],
  instance: Instance,
  { report, ...images }: Images & { readonly report: Report },
): readonly OrchObject[] {
  let result = objects;
  const image = imageOf(instance, images);
  if (image !== undefined) {
    result = patched(result, instance, { name: "image", ...image, report });
  }
  for (const name of settingNames(instance)) {
    const kind = SETTINGS[name];
    if (kind === undefined) continue;
    const value = valueAt(instance.settings, ["k8s", name]);
    result = patched(result, instance, { name, kind, value, path: ["k8s", name], report });
  }
  warnOfReplicas(result, instance, report);
  return result;
}

interface Patching {
  readonly name: string;
  readonly kind: SettingKind;
  readonly value: unknown;
  /** The path of the setting in those of the component. */
  readonly path: readonly string[];
  readonly report: Report;
}

/** Registry and tag of the images of the installation. */
interface Images {
  readonly hub: string;
  readonly tag: string;
}

/** The image of a gateway's own hub or tag; the pods of others have the image of the injector. */
function imageOf(
  { kind, settings }: Instance,
  { hub, tag }: Images,
): Omit<Patching, "report" | "name"> | undefined {
  if (!kind.isList || isEmpty(settings.hub) && isEmpty(settings.tag)) return undefined;
  const [own, ownTag] = [settings.hub, settings.tag].map((one) =>
    isEmpty(one) ? undefined : String(one)
  );
  const value = `${own ?? hub}/proxyv2:${ownTag ?? tag}`;
  return { kind: ofContainer("image"), value, path: [own === undefined ? "tag" : "hub"] };
}

function patched(
  objects: readonly OrchObject[],
  instance: Instance,
  { kind, value, path, report }: Patching,
): readonly OrchObject[] {
  const container = instance.kind.workload?.container ?? "";
  const target = targetOf(objects, instance, kind.target);
  const at = [...instance.path, ...path];
  if (target === undefined) {
    const wanted = kind.target === "workload"
      ? instance.kind.workload?.kind ?? "workload"
      : kind.target;
    report.problem({
      path: at,
      code: "no-object",
      message: `the component ${instance.kind.component} has no ${wanted} on which it could act`,
      remedy: WITHOUT_TARGET[kind.target],
      target: "key",
    });
    return objects;
  }
  const patch = kind.patch(value, container);
  if (
    valueAt(patch, ["spec", "template", "spec", "containers"]) !== undefined &&
    !hasContainer(target, container)
  ) {
    report.problem({
      path: at,
      code: "no-object",
      message: `${target.kind} ${target.metadata.name} has no container ${container}`,
      remedy: "Remove the setting, or use the charts of this version.",
      target: "key",
    });
    return objects;
  }
  const merged = strategicMerge({ ...target }, patch);
  return objects.map((one) => one === target ? merged : one);
}

const WITHOUT_TARGET: Readonly<Record<Target, string>> = {
  workload: "Remove the setting.",
  Service: "Remove the setting, or let the chart make a Service.",
  HorizontalPodAutoscaler:
    "Remove the setting, or turn autoscaling on in the values of the component.",
  PodDisruptionBudget: "Remove the setting, or turn the budget on in the values of the component.",
};

/** The only object of a kind, or the one with the name of the component. */
function targetOf(
  objects: readonly OrchObject[],
  { kind, name }: Instance,
  target: Target,
): OrchObject | undefined {
  const wanted = target === "workload" ? kind.workload?.kind : target;
  const found = objects.filter((one) => one.kind === wanted);
  if (found.length < 2) return found[0];
  return found.find((one) => one.metadata.name === name) ??
    found.find((one) => one.metadata.name.startsWith(`${name}-`));
}

function hasContainer(object: OrchObject, name: string): boolean {
  const containers = valueAt(object, ["spec", "template", "spec", "containers"]);
  return Array.isArray(containers) && containers.some((one) => isTree(one) && one.name === name);
}

function warnOfReplicas(
  objects: readonly OrchObject[],
  instance: Instance,
  { warning }: Report,
): void {
  if (valueAt(instance.settings, ["k8s", "replicaCount"]) === undefined) return;
  const scaler = targetOf(objects, instance, "HorizontalPodAutoscaler");
  if (scaler === undefined) return;
  warning({
    path: [...instance.path, "k8s", "replicaCount"],
    code: "no-effect",
    message: `HorizontalPodAutoscaler ${scaler.metadata.name} decides the number of replicas`,
    remedy:
      "Set hpaSpec.minReplicas instead, or turn autoscaling off in the values of the component.",
    target: "key",
  });
}
