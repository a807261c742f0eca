/**
 * Pods by name, by workload and by labels.
 *
 * @module
 */
import { MeshError, printable } from "../../kit/base/mod.ts";
import { suggest, usageError } from "../../kit/cli/mod.ts";
import {
  getObject,
  isNotFound,
  listAll,
  type OrchMeta,
  type OrchObject,
  type ResourceType,
  types,
} from "../../kit/orch/mod.ts";
import type { ClusterAccess } from "./access.ts";

/** A container in the specification of a pod. */
export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly args?: readonly string[];
  readonly ports?: readonly { readonly containerPort: number; readonly name?: string }[];
}

/** The fields of a pod that commands read. */
export interface Pod {
  readonly metadata: OrchMeta;
  readonly spec: {
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly nodeName?: string;
    readonly serviceAccountName?: string;
    readonly hostNetwork?: boolean;
  };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly ready?: boolean;
      readonly restartCount?: number;
    }[];
  };
}

/** A label selector of a workload or, as a plain map, of a Service. */
interface Selecting extends OrchObject {
  readonly spec?: { readonly selector?: unknown };
}

/** The container with the proxy and its agent. */
export const PROXY_CONTAINER = "mesh-proxy";

const APPS = { group: "apps", version: "v1", namespaced: true } as const;

/** Types that can stand before the slash. */
const WORKLOADS: readonly (readonly [names: readonly string[], type: ResourceType])[] = [
  [["deployment", "deployments", "deploy"], types.DEPLOYMENT],
  [["replicaset", "replicasets", "rs"], { ...APPS, kind: "ReplicaSet", plural: "replicasets" }],
  [["statefulset", "statefulsets", "sts"], {
    ...APPS,
    kind: "StatefulSet",
    plural: "statefulsets",
  }],
  [["daemonset", "daemonsets", "ds"], { ...APPS, kind: "DaemonSet", plural: "daemonsets" }],
  [["job", "jobs"], {
    group: "batch",
    version: "v1",
    namespaced: true,
    kind: "Job",
    plural: "jobs",
  }],
  [["service", "services", "svc"], types.SERVICE],
];
const POD_WORDS: readonly string[] = ["pod", "pods", "po"];

/** Parts of `[<type>/]<name>[.<namespace>]`. */
export interface TargetName {
  readonly type: string;
  readonly name: string;
  readonly namespace: string;
}

/** Splits a name; without namespace it is `namespace`. */
export function targetName(given: string, namespace: string): TargetName {
  const slash = given.indexOf("/");
  const rest = given.slice(slash + 1);
  const dot = rest.lastIndexOf(".");
  const found = {
    type: slash < 0 ? "pod" : given.slice(0, slash),
    name: dot < 0 ? rest : rest.slice(0, dot),
    namespace: dot < 0 ? namespace : rest.slice(dot + 1),
  };
  if (found.name !== "" && found.namespace !== "") return found;
  throw usageError(
    `${printable(JSON.stringify(given))} is no name of a pod or workload`,
    "Write [<type>/]<name>[.<namespace>], such as web-1.shop or deployment/web.shop.",
  );
}

/**
 * The pod of a name, or a pod of a workload: a ready one if there is one.
 *
 * @throws {MeshError} `pod-unknown` with near names
 */
export async function podNamed(cluster: ClusterAccess, given: string): Promise<Pod> {
  const { type, name, namespace } = targetName(given, cluster.namespace);
  if (POD_WORDS.includes(type)) {
    try {
      return await getObject<Pod & OrchObject>(cluster.client, types.POD, { namespace, name });
    } catch (error) {
      if (isNotFound(error)) throw await unknownPod(cluster, namespace, name);
      throw error;
    }
  }
  const workload = WORKLOADS.find(([names]) => names.includes(type));
  if (workload === undefined) {
    const [near] = suggest(type, WORKLOADS.flatMap(([names]) => names));
    throw usageError(
      `${printable(JSON.stringify(type))} is no type of a workload`,
      near === undefined
        ? `Types: pod, ${WORKLOADS.map(([[first]]) => first).join(", ")}.`
        : `Did you mean ${near}?`,
    );
  }
  const object = await workloadNamed(cluster, workload[1], { namespace, name });
  const labelSelector = selectorText(object.spec?.selector);
  const pods = labelSelector === "" ? [] : await podsOf(cluster, { namespace, labelSelector });
  const [first] = pods;
  if (first !== undefined) return first;
  throw new MeshError("pod-unknown", printable(`${type}/${name} in ${namespace} has no pods`), {
    remedy: "Check its selector and its number of replicas.",
  });
}

async function workloadNamed(
  { client }: ClusterAccess,
  type: ResourceType,
  { namespace, name }: Pick<TargetName, "namespace" | "name">,
): Promise<Selecting> {
  try {
    return await getObject<Selecting>(client, type, { namespace, name });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const names = await listAll<OrchObject>(client, type, { namespace })
      .then((all) => all.map(({ metadata }) => metadata.name), () => []);
    const [near] = suggest(name, names);
    const what = type.kind.toLowerCase();
    throw new MeshError("pod-unknown", printable(`there is no ${what} ${name} in ${namespace}`), {
      remedy: near === undefined
        ? "Check the name and the namespace (--namespace, or NAME.NAMESPACE)."
        : `Did you mean ${printable(near)}?`,
    });
  }
}

async function unknownPod(
  cluster: ClusterAccess,
  namespace: string,
  name: string,
): Promise<MeshError> {
  const pods = await podsOf(cluster, { namespace }).catch(() => []);
  const near = suggest(name, pods.map(({ metadata }) => metadata.name)).slice(0, 3);
  return new MeshError("pod-unknown", printable(`there is no pod ${name} in ${namespace}`), {
    remedy: near.length > 0
      ? `Did you mean ${near.map(printable).join(" or ")}?`
      : "Check the name and the namespace (--namespace, or NAME.NAMESPACE).",
  });
}

/** Pods of a selection: ready ones first, then running ones; each by name. */
export async function podsOf(
  { client }: ClusterAccess,
  selection: { readonly namespace?: string; readonly labelSelector?: string },
): Promise<readonly Pod[]> {
  const pods = await listAll<Pod>(client, types.POD, selection);
  return pods.toSorted((a, b) => rank(a) - rank(b) || (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** Pods by the labels of `--selector`. */
export async function selectedPods(
  cluster: ClusterAccess,
  namespace: string,
  labelSelector: string,
): Promise<readonly Pod[]> {
  const pods = await podsOf(cluster, { namespace, labelSelector });
  if (pods.length > 0) return pods;
  const where = printable(`${labelSelector} in ${namespace}`);
  throw new MeshError("pod-unknown", `no pod has the labels ${where}`, {
    remedy: "Check the labels and the namespace.",
  });
}

/** `name.namespace` of a pod. */
export function podId({ metadata: { name, namespace = "" } }: Pod): string {
  return `${name}.${namespace}`;
}

/** True if the pod runs. Pods of a test cluster without nodes have no phase but `Pending`. */
export function isRunning({ status }: Pod): boolean {
  return status?.phase === "Running";
}

/** True if a proxy of the mesh runs in the pod, as a container or as a native sidecar. */
export function hasProxy({ spec }: Pod): boolean {
  return [...spec.containers, ...spec.initContainers ?? []]
    .some(({ name }) => name === PROXY_CONTAINER);
}

function rank(pod: Pod): number {
  const isReady = pod.status?.conditions?.some((one) =>
    one.type === "Ready" && one.status === "True"
  );
  return isReady ? 0 : isRunning(pod) ? 1 : 2;
}

function nameOf({ metadata }: Pod): string {
  return metadata.name;
}

/** A selector as the API takes it in queries; empty if it selects nothing. */
export function selectorText(selector: unknown): string {
  if (typeof selector !== "object" || selector === null) return "";
  const { matchLabels, matchExpressions } = selector as {
    readonly matchLabels?: Readonly<Record<string, string>>;
    readonly matchExpressions?: readonly Expression[];
  };
  const isPlain = matchLabels === undefined && matchExpressions === undefined;
  const labels = Object.entries(isPlain ? selector : matchLabels ?? {});
  return [
    ...labels.map(([name, value]) => `${name}=${value}`),
    ...(matchExpressions ?? []).map(expressionText),
  ].join(",");
}

interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

function expressionText({ key, operator, values = [] }: Expression): string {
  switch (operator) {
    case "In":
      return `${key} in (${values.join(",")})`;
    case "NotIn":
      return `${key} notin (${values.join(",")})`;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return key;
  }
}
