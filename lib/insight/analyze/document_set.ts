/**
 * A set of documents, and analyzers that read it.
 *
 * @module
 */
import { hasLabels } from "../../mesh/model/mod.ts";
import type { Code } from "./codes.ts";
import type { Labels } from "./workload_indexes.ts";
import type { Finding } from "./message.ts";
import { listAt, mapAt, type PlainDocument, type PlainMap, textsOf } from "./plain.ts";

/** A set of documents with the settings of the mesh. */
export interface DocumentSet {
  readonly all: readonly PlainDocument[];
  /** Documents of a kind, optionally only those of a group. */
  of(kind: string, group?: string): readonly PlainDocument[];
  /** Pods, and the pods that templates of workloads describe. */
  pods(): readonly PodShape[];
  readonly settings: SetSettings;
  /** The documents of each cluster; empty for a set of one cluster. */
  readonly clusters: readonly ClusterDocuments[];
}

export interface ClusterDocuments {
  readonly name: string;
  readonly documents: readonly PlainDocument[];
}

/** Settings of an analysis of documents. */
export interface SetSettings {
  /** Namespace of the mesh's own workloads. */
  readonly meshNamespace: string;
  /** The mesh's DNS suffix. */
  readonly domain: string;
  /** The fault of a certificate chain (PEM), such as its expiry; unset: certificates are not read. */
  readonly certificateFault?: (pem: string) => string | undefined;
  /** Image type of proxies in the mesh configuration, such as `distroless`; empty: none. */
  readonly imageType: string;
}

/** A pod, or the template of the pods of a workload. */
export interface PodShape {
  /** The Pod, or the workload with the template. */
  readonly document: PlainDocument;
  readonly namespace: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly spec: PlainMap;
}

/** A finding about a document. */
export interface DocumentFinding extends Finding {
  readonly on: PlainDocument;
}

/** Checks of a set of documents. */
export interface DocumentAnalyzer {
  /** As `meshctl analyze --list-analyzers` lists it. */
  readonly name: string;
  /** The kinds that it reads. It runs only if its input can have the first one. */
  readonly kinds: readonly string[];
  readonly codes: readonly Code[];
  /** True: runs only on request, because its hints are no mistakes. */
  readonly onRequest?: boolean;
  readonly analyze: (set: DocumentSet) => Iterable<DocumentFinding>;
}

/** Kinds with a template of pods. */
const TEMPLATED: ReadonlySet<string> = new Set([
  "DaemonSet",
  "Deployment",
  "Job",
  "ReplicaSet",
  "StatefulSet",
]);

/** Creates a set. */
export function documentSet(
  all: readonly PlainDocument[],
  settings: SetSettings,
  clusters: readonly ClusterDocuments[] = [],
): DocumentSet {
  const byKind = Map.groupBy(all, ({ kind }) => kind);
  let pods: readonly PodShape[] | undefined;
  return {
    all,
    settings,
    clusters,
    of: (kind, group) =>
      (byKind.get(kind) ?? []).filter((one) => group === undefined || one.group === group),
    pods: () => pods ??= all.flatMap((document) => podShapeOf(document) ?? []),
  };
}

/** The pod that a document describes; `undefined`: it describes none. */
export function podShapeOf(document: PlainDocument): PodShape | undefined {
  const { kind, namespace, value, labels, annotations } = document;
  if (kind === "Pod") {
    return { document, namespace, labels, annotations, spec: mapAt(value, "spec") };
  }
  if (!TEMPLATED.has(kind)) return undefined;
  const template = mapAt(value, "spec", "template");
  return {
    document,
    namespace,
    labels: textsOf(mapAt(template, "metadata", "labels")),
    annotations: textsOf(mapAt(template, "metadata", "annotations")),
    spec: mapAt(template, "spec"),
  };
}

/** All containers of a pod, the init containers after the others. */
export function containersOf({ spec }: PodShape): readonly unknown[] {
  return [...listAt(spec, "containers"), ...listAt(spec, "initContainers")];
}

/** The pods of a namespace that a selector selects; an empty selector selects none. */
export function selectedPods(
  pods: readonly PodShape[],
  namespace: string | undefined,
  selector: Labels,
): PodShape[] {
  if (Object.keys(selector).length === 0) return [];
  return pods.filter((pod) =>
    (namespace === undefined || pod.namespace === namespace) && hasLabels(pod.labels, selector)
  );
}

/** The pods that the selector of a Gateway or Service selects; an empty one selects all. */
export function podsSelectedBy(
  set: Pick<DocumentSet, "pods">,
  selector: Labels,
): readonly PodShape[] {
  return set.pods().filter(({ labels }) => hasLabels(labels, selector));
}

/** Namespaces of the orchestrator itself. */
const SYSTEM_NAMESPACES: ReadonlySet<string> = new Set([
  "kube-node-lease",
  "kube-public",
  "kube-system",
  "local-path-storage",
]);

/** True for namespaces of the orchestrator. */
export function isSystemNamespace(namespace: string): boolean {
  return SYSTEM_NAMESPACES.has(namespace);
}
