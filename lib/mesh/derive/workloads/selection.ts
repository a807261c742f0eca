/**
 * Selection of workloads by policies: by labels, or by the Gateway that the workload
 * belongs to.
 *
 * @module
 */
import {
  type Derived,
  type Graph,
  type Index,
  type Input,
  type KeyCodec,
  keyOf,
  oneOf,
  type Read,
  text,
} from "../../graph/mod.ts";
import {
  byAge,
  type ConfigObject,
  GATEWAY_NAME_LABEL,
  hasLabels,
  type ObjectKey,
  objectKey,
} from "../../model/mod.ts";
import type { PolicyTargetReference, WorkloadSelector } from "#mesh/type/v1beta1/selector_pb.ts";
import { type Labels, type Workload, workloadKeys } from "../inputs/mod.ts";

/** Settings of how policies are selected. */
export interface SelectionOptions {
  readonly rootNamespace: (read: Read) => string;
  /**
   * True if policies that select by labels apply to gateways of the orchestrator's Gateway API,
   * too.
   */
  readonly selectorsForApiGateways: boolean;
  /** The class of the waypoint that a Gateway is, `""` for none; unset: no policy is attached to classes. */
  readonly classOf?: (read: Read, gateway: ObjectKey) => string;
}

/** Group → kind of target references → what the policy is attached to. */
const TARGETS: Readonly<Record<string, Readonly<Record<string, SelectionKey["by"]>>>> = {
  "gateway.networking.k8s.io": { Gateway: "gateway", GatewayClass: "class" },
  "": { Service: "service" },
  core: { Service: "service" },
  "networking.mesh.io": { ServiceEntry: "entry" },
};

/** The part of a policy that selects workloads: of its namespace, or of all namespaces if that is the root. */
export interface Selecting {
  readonly selector?: WorkloadSelector;
  /** The same field, under the name that some kinds give it. */
  readonly workloadSelector?: { readonly labels: Labels };
  readonly targetRef?: PolicyTargetReference;
  readonly targetRefs?: readonly PolicyTargetReference[];
}

/** Policies of a namespace by what they select. */
interface SelectionKey {
  readonly namespace: string;
  /**
   * `all`: every workload; `label`: workloads with a label; `gateway`, `class`: those of a Gateway or
   * of the Gateways of a class; `service`, `entry`: a Service or ServiceEntry at its waypoint.
   */
  readonly by: "all" | "label" | "gateway" | "class" | "service" | "entry";
  /** The name of the label or of the target, and the label's value. */
  readonly name: string;
  readonly value: string;
}

const selectionKeys: KeyCodec<SelectionKey> = keyOf<SelectionKey>({
  namespace: text,
  by: oneOf("all", "label", "gateway", "class", "service", "entry"),
  name: text,
  value: text,
});

/** A table of policies with the index over their selectors. */
export interface SelectablePolicies<T> {
  readonly table: Input<ConfigObject<T>>;
  readonly index: Index<SelectionKey>;
  /** The order of the policies of one namespace; default: the oldest first. */
  readonly compare: (a: ConfigObject<T>, b: ConfigObject<T>) => number;
}

/**
 * Creates the index over the selectors of policies. A policy with labels is in the
 * bucket of its first label, so that an edit reaches only workloads that it may select.
 */
export function indexSelectors<T extends Selecting>(
  graph: Graph,
  table: Input<ConfigObject<T>>,
  compare: SelectablePolicies<T>["compare"] = byAge,
): SelectablePolicies<T> {
  const codecs = { bucket: selectionKeys, member: text };
  const index = graph.index(table, `${table.name}.selectors`, codecs, function* (row, key) {
    const { namespace } = row.meta;
    const targets = targetsOf(row.spec);
    for (const { group, kind, name } of targets) {
      const by = TARGETS[group]?.[kind];
      if (by === undefined) continue;
      yield [{ namespace, by, name, value: "" }, key] as const;
    }
    if (targets.length > 0) return;
    const labels = selectorOf(row.spec);
    const name = Object.keys(labels).sort()[0];
    yield name === undefined
      ? [{ namespace, by: "all", name: "", value: "" }, key] as const
      : [{ namespace, by: "label", name, value: labels[name]! }, key] as const;
  });
  return { table, index, compare };
}

function targetsOf({ targetRef, targetRefs = [] }: Selecting): readonly PolicyTargetReference[] {
  return targetRef === undefined ? targetRefs : [targetRef, ...targetRefs];
}

function selectorOf({ selector, workloadSelector }: Selecting): Labels {
  return selector?.matchLabels ?? workloadSelector?.labels ?? {};
}

/** Reports if a policy selects workloads by labels. */
export function selectsByLabels(spec: Selecting): boolean {
  return Object.keys(selectorOf(spec)).length > 0;
}

/** The policies that select a workload by its labels or select all workloads: those of the root namespace, then the workload's own. */
export function selecting<T extends Selecting>(
  read: Read,
  { table, index, compare }: SelectablePolicies<T>,
  { namespace: own, labels }: Workload,
  root: string,
): ConfigObject<T>[] {
  const namespaces = [...new Set([root, own])].filter((namespace) => namespace !== "");
  return namespaces.flatMap((namespace) => {
    const buckets: SelectionKey[] = [{ namespace, by: "all", name: "", value: "" }];
    for (const [name, value] of Object.entries(labels)) {
      buckets.push({ namespace, by: "label", name, value });
    }
    return buckets.flatMap((bucket) => read.members(index, bucket))
      .map((key) => read.get(table, key))
      .filter((row) => row !== undefined)
      .filter((row) => hasLabels(labels, selectorOf(row.spec)))
      .sort(compare);
  });
}

/** An object that policies of its namespace target by name. */
export interface PolicyTarget {
  readonly namespace: string;
  readonly by: "gateway" | "class" | "service" | "entry";
  readonly name: string;
}

/** The policies of a namespace that target an object by name. */
export function targeting<T extends Selecting>(
  read: Read,
  { table, index, compare }: SelectablePolicies<T>,
  target: PolicyTarget,
): ConfigObject<T>[] {
  return read.members(index, { ...target, value: "" })
    .map((key) => read.get(table, key))
    .filter((row) => row !== undefined)
    .sort(compare);
}

/**
 * Creates the table: workload → row keys of the policies that select it: those of
 * the root namespace, then its own, then those that target its Gateway's class or its Gateway.
 */
export function deriveSelected<T extends Selecting>(
  graph: Graph,
  name: string,
  policies: SelectablePolicies<T>,
  options: SelectionOptions,
): Derived<readonly string[], Workload> {
  return graph.derive(name, workloadKeys, (read, workload): readonly string[] => {
    const root = options.rootNamespace(read);
    const byLabels = selectsByLabel(workload, options);
    const rows = selecting(read, policies, workload, root)
      .filter((row) => byLabels || !selectsByLabels(row.spec));
    const named = gatewayTargets(read, workload, options)
      .flatMap((target) => targeting(read, policies, target));
    return [...new Set([...rows, ...named].map(({ meta }) => objectKey(meta)))];
  });
}

/** The targets that take in all that a proxy of a Gateway does: its class, if it is a waypoint, and the Gateway. */
export function gatewayTargets(
  read: Read,
  { role, namespace, labels }: Workload,
  { rootNamespace, classOf }: SelectionOptions,
): PolicyTarget[] {
  const name = labels[GATEWAY_NAME_LABEL];
  if (name === undefined || role === "sidecar") return [];
  const className = role === "waypoint" ? classOf?.(read, { namespace, name }) ?? "" : "";
  return [
    ...(className === ""
      ? []
      : [{ namespace: rootNamespace(read), by: "class", name: className } as const]),
    { namespace, by: "gateway", name },
  ];
}

/** Reports if policies select a workload by labels: never a waypoint. */
export function selectsByLabel(
  { role, labels }: Workload,
  options: Pick<SelectionOptions, "selectorsForApiGateways">,
): boolean {
  if (role === "waypoint") return false;
  return labels[GATEWAY_NAME_LABEL] === undefined || options.selectorsForApiGateways;
}
