/**
 * The pods of workloads in manifests, as a cluster with the mesh would run them. Pure.
 *
 * @module
 */
import {
  injectionOf,
  isExempt,
  type PlainDocument,
  type PodShape,
  podShapeOf,
} from "../../analyze/mod.ts";
import type { OrchObject } from "../../../kit/orch/mod.ts";
import { objectKey, TLS_MODE_LABEL } from "../../../mesh/model/mod.ts";
import { addressesOf, RANGES } from "./addresses.ts";

type Labels = Readonly<Record<string, string>>;

/** A pod with its address. */
export interface ManifestPod extends OrchObject {
  readonly metadata: OrchObject["metadata"] & {
    readonly namespace: string;
    readonly labels: Labels;
  };
  readonly spec: PodShape["spec"];
  readonly status: {
    readonly phase: "Running";
    readonly podIP: string;
    readonly conditions: readonly { readonly type: "Ready"; readonly status: "True" }[];
  };
}

/** A pod and the document that it comes from. */
export interface OwnedPod {
  readonly pod: ManifestPod;
  readonly document: PlainDocument;
}

/** Most pods of one StatefulSet. Pods of other workloads are alike: one of them is enough. */
const MAX_NAMED_PODS = 10;

const INJECT = "sidecar.mesh.io/inject";
const REVISION = "mesh.io/rev";
const MODE = "mesh.io/dataplane-mode";
/** Annotation that the node's agent gives to the pods that it captures. */
const REDIRECTION = "ambient.mesh.io/redirection";

/**
 * The pods of documents, sorted by namespace and name: one of each workload, with its name, and the
 * pods of a StatefulSet by their numbers. Injected ones have the label that injection writes, captured
 * ones the annotation of the node's agent.
 *
 * @param namespaceLabels labels of a namespace
 */
export function podsOf(
  documents: readonly PlainDocument[],
  namespaceLabels: (namespace: string) => Labels,
): OwnedPod[] {
  const shapes = documents.flatMap((document) => podShapeOf(document) ?? [])
    .flatMap((shape) => namesOf(shape).map((name) => ({ shape, name })))
    .map((one) => ({ ...one, key: objectKey({ namespace: one.shape.namespace, name: one.name }) }))
    .toSorted((a, b) => a.key < b.key ? -1 : Number(a.key > b.key));
  const address = addressesOf(RANGES.pods, shapes.map(({ key }) => key));
  return shapes.map(({ shape, name, key }) => ({
    document: shape.document,
    pod: podOf(shape, { name, address: address(key), of: namespaceLabels(shape.namespace) }),
  }));
}

/** The names of the pods of a workload. */
function namesOf({ document: { kind, name, value } }: PodShape): string[] {
  const { replicas = 1 } = Object(value.spec) as { readonly replicas?: number };
  if (kind === "StatefulSet") {
    return Array.from({ length: Math.min(replicas, MAX_NAMED_PODS) }, (_, at) => `${name}-${at}`);
  }
  return replicas === 0 ? [] : [name];
}

interface Placed {
  readonly name: string;
  readonly address: string;
  /** Labels of its namespace. */
  readonly of: Labels;
}

function podOf(shape: PodShape, { name, address, of }: Placed): ManifestPod {
  const { document, namespace, labels, annotations, spec } = shape;
  const injected = isInjected(shape, of);
  const captured = !injected && spec.hostNetwork !== true &&
    (labels[MODE] ?? of[MODE]) === "ambient";
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      labels: injected ? { ...labels, [TLS_MODE_LABEL]: "mesh" } : labels,
      annotations: captured ? { ...annotations, [REDIRECTION]: "enabled" } : annotations,
      ownerReferences: document.kind === "Pod" ? [] : [{
        apiVersion: "apps/v1",
        kind: document.kind,
        name: document.name,
        uid: "",
        controller: true,
      }],
    },
    spec,
    status: { phase: "Running", podIP: address, conditions: [{ type: "Ready", status: "True" }] },
  };
}

/** Reports if the webhook of the default installation injects a pod. */
export function isInjected(
  shape: Pick<PodShape, "labels" | "annotations" | "spec">,
  namespace: Labels,
): boolean {
  if (isExempt(shape)) return false;
  const { labels } = shape;
  const asks = labels[INJECT] === "true" || labels[REVISION] !== undefined;
  switch (injectionOf(namespace)) {
    case "injected":
      return true;
    case "disabled":
      return false;
    case "ambient":
    case "unlabelled":
      return asks;
  }
}
