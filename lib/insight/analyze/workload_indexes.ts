/**
 * The workloads that analysis knows, by their labels, and what selectors select among them.
 *
 * @module
 */
import type { Mesh } from "../../mesh/derive/mod.ts";
import {
  type Graph,
  type Index,
  type Input,
  type KeyCodec,
  keyOf,
  type Read,
  text,
} from "../../mesh/graph/mod.ts";
import { canonicalJson } from "../../kit/base/mod.ts";
import { hasLabels } from "../../mesh/model/mod.ts";

/** Labels of an object or workload. */
export type Labels = Readonly<Record<string, string>>;

/** A workload: a connected proxy, or one that a manifest describes. Equal ones are one workload. */
export interface KnownWorkload {
  readonly namespace: string;
  readonly labels: Labels;
  /** The name of a pod; unset: it is not known, and replicas are one workload. */
  readonly name?: string;
  /** Its service account; unset: it is not known. */
  readonly account?: string;
  /** True for a workload without a proxy. */
  readonly outside?: boolean;
  /** True for a workload that the node proxy serves. */
  readonly captured?: boolean;
}

/** A pair of a label, in one namespace or (`""`) in any. */
interface LabelBucket {
  readonly namespace: string;
  readonly label: string;
  readonly value: string;
}

const labelBuckets: KeyCodec<LabelBucket> = keyOf<LabelBucket>({
  namespace: text,
  label: text,
  value: text,
});

/** Tables and indexes of workloads. */
export interface WorkloadIndexes {
  /** Workloads by {@link workloadKey}. */
  readonly workloads: Input<KnownWorkload>;
  /** Row `all`: true when every workload of the mesh is known, so that a missing one is a finding. */
  readonly complete: Input<boolean>;
  /** Row `all`: true when the workloads of gateways are known, although others may not be. */
  readonly gateways: Input<boolean>;
  /** Label pair → row keys of known workloads. */
  readonly workloadsByLabel: Index<LabelBucket>;
  /** Label pair → label sets of WorkloadEntries and of endpoints in ServiceEntries that have it, as canonical JSON. */
  readonly entriesByLabel: readonly Index<LabelBucket>[];
  /** Namespace → row keys of known workloads with a proxy. */
  readonly proxiesByNamespace: Index;
  /** Row for each namespace that the node proxy serves. */
  readonly ambientNamespaces: Input<boolean>;
  /** Row `all`: true when the service accounts of all callers are known. */
  readonly accountsKnown: Input<boolean>;
  /** Service accounts of objects, `namespace/name`. */
  readonly accountObjects: Input<boolean>;
  /** `all` → service accounts of workloads and objects, `namespace/name`. */
  readonly accounts: readonly Index[];
}

/** Creates the tables and indexes. */
export function workloadIndexes(graph: Graph, { tables }: Mesh): WorkloadIndexes {
  const codecs = { bucket: labelBuckets, member: text };
  const workloads = graph.input<KnownWorkload>("KnownWorkload");
  return {
    workloads,
    complete: graph.input("AllWorkloadsKnown"),
    gateways: graph.input("GatewaysKnown"),
    workloadsByLabel: graph.index(workloads, "KnownWorkload.label", codecs, function* (row, key) {
      for (const bucket of bucketsOf(row.namespace, row.labels)) yield [bucket, key];
    }),
    entriesByLabel: [
      graph.index(
        tables.workloadEntries,
        "WorkloadEntry.labelSet",
        codecs,
        ({ meta, spec }) => labelEntries(meta.namespace, { ...meta.labels, ...spec.labels }),
      ),
      graph.index(
        tables.serviceEntries,
        "ServiceEntry.labelSet",
        codecs,
        function* ({ meta, spec }) {
          for (const { labels } of spec.endpoints) yield* labelEntries(meta.namespace, labels);
        },
      ),
    ],
    proxiesByNamespace: graph.index(
      workloads,
      "KnownWorkload.proxyNamespace",
      { bucket: text, member: text },
      function* ({ namespace, outside }, key) {
        if (outside !== true) yield [namespace, key];
      },
    ),
    ambientNamespaces: graph.input("AmbientNamespace"),
    ...accountIndexes(graph, { tables }, workloads),
  };
}

function accountIndexes(
  graph: Graph,
  { tables }: Pick<Mesh, "tables">,
  workloads: Input<KnownWorkload>,
): Pick<WorkloadIndexes, "accountObjects" | "accounts" | "accountsKnown"> {
  const codecs = { bucket: text, member: text };
  const accountObjects = graph.input<boolean>("KnownAccount");
  return {
    accountsKnown: graph.input("AccountsKnown"),
    accountObjects,
    accounts: [
      graph.index(accountObjects, "KnownAccount.all", codecs, function* (_, key) {
        yield ["all", key];
      }),
      graph.index(
        workloads,
        "KnownWorkload.account",
        codecs,
        function* ({ namespace, account }) {
          if (account !== undefined) yield ["all", `${namespace}/${account}`];
        },
      ),
      graph.index(
        tables.workloadEntries,
        "WorkloadEntry.account",
        codecs,
        function* ({ meta, spec }) {
          yield ["all", `${meta.namespace}/${spec.serviceAccount || "default"}`];
        },
      ),
      graph.index(
        tables.serviceEntries,
        "ServiceEntry.accounts",
        codecs,
        function* ({ meta, spec }) {
          for (const { serviceAccount } of spec.endpoints) {
            if (serviceAccount !== "") yield ["all", `${meta.namespace}/${serviceAccount}`];
          }
        },
      ),
    ],
  };
}

function* bucketsOf(namespace: string, labels: Labels): Iterable<LabelBucket> {
  for (const [label, value] of Object.entries(labels)) {
    for (const where of ["", namespace]) yield { namespace: where, label, value };
  }
}

function* labelEntries(namespace: string, labels: Labels) {
  const member = canonicalJson(labels);
  for (const bucket of bucketsOf(namespace, labels)) yield [bucket, member] as const;
}

/** The key of a workload's row. */
export function workloadKey(workload: KnownWorkload): string {
  const { namespace, labels, name = "", account = "", outside = false, captured = false } =
    workload;
  return canonicalJson([namespace, labels, name, account, outside, captured]);
}

/** The inputs of functions about selectors. */
export interface Selected {
  readonly read: Read;
  readonly indexes: WorkloadIndexes;
}

/**
 * The workloads that have all pairs of a selector, entries with their labels alone. An empty selector
 * selects none.
 *
 * @param namespace of the workloads; empty: all
 */
export function* selectedWorkloads(
  { read, indexes }: Selected,
  namespace: string,
  selector: Labels,
): Iterable<KnownWorkload> {
  const [first] = Object.entries(selector).sort();
  if (first === undefined) return;
  const bucket = { namespace, label: first[0], value: first[1] };
  for (const key of read.members(indexes.workloadsByLabel, bucket)) {
    const workload = read.get(indexes.workloads, key);
    if (workload !== undefined && hasLabels(workload.labels, selector)) yield workload;
  }
  for (const index of indexes.entriesByLabel) {
    for (const member of read.members(index, bucket)) {
      const labels = JSON.parse(member) as Labels;
      if (hasLabels(labels, selector)) yield { namespace, labels };
    }
  }
}

/** True when a selector selects a workload that is known; an empty one does. */
export function selectsSome(
  context: Selected,
  namespace: string,
  selector: Labels,
  isMeant: (workload: KnownWorkload) => boolean = () => true,
): boolean {
  if (Object.keys(selector).length === 0) return true;
  for (const one of selectedWorkloads(context, namespace, selector)) if (isMeant(one)) return true;
  return false;
}

/** True when a selector certainly selects no workload. */
export function selectsNothing(context: Selected, namespace: string, selector: Labels): boolean {
  return isComplete(context) && !selectsSome(context, namespace, selector);
}

/** True when the selector of a Gateway certainly selects no workload. */
export function selectsNoGateway(context: Selected, selector: Labels): boolean {
  const isKnown = isComplete(context) || context.read.get(context.indexes.gateways, "all") === true;
  return isKnown && !selectsSome(context, "", selector);
}

/** True when a selector certainly selects no workload in the mesh; an empty one selects all. */
export function selectsNoProxy(context: Selected, namespace: string, selector: Labels): boolean {
  if (!isComplete(context)) return false;
  const { read, indexes } = context;
  if (Object.keys(selector).length === 0) {
    return namespace !== "" && !read.any(indexes.proxiesByNamespace, namespace);
  }
  return !selectsSome(context, namespace, selector, ({ outside }) => outside !== true);
}

/** True when every workload of the mesh is known. */
export function isComplete({ read, indexes }: Selected): boolean {
  return read.get(indexes.complete, "all") === true;
}

/** Label pairs as people write them: `app=a,version=v1`. */
export function labelText(labels: Labels): string {
  return Object.entries(labels).sort().map(([key, value]) => `${key}=${value}`).join(",");
}
