/**
 * Annotations of the mesh on objects of the orchestrator.
 *
 * @module
 */
import type { DocumentAnalyzer, DocumentFinding, DocumentSet } from "../document_set.ts";
import type { Labels } from "../workload_indexes.ts";
import { listAt, mapAt, type PlainDocument, textAt, textsOf } from "../plain.ts";
import { ANNOTATIONS, WRITTEN_BY_MESH } from "./annotation_table.ts";

const KINDS = ["Service", "Pod", "Deployment", "Namespace"];

/** Annotations that are unknown, misplaced, deprecated or have an invalid value. */
export const ANNOTATION_USE: DocumentAnalyzer = {
  name: "annotations.K8sAnalyzer",
  kinds: KINDS,
  codes: ["MSH0107", "MSH0108", "MSH0125", "MSH0135"],
  *analyze(set) {
    for (const one of annotated(set)) {
      for (const name of Object.keys(one.annotations).sort()) yield* useFindings(one, name);
    }
  },
};

/** Annotations of alpha features. */
export const ALPHA_ANNOTATIONS: DocumentAnalyzer = {
  name: "annotations.AlphaAnalyzer",
  kinds: KINDS,
  codes: ["MSH0136"],
  onRequest: true,
  *analyze(set) {
    for (const { on, path, annotations } of annotated(set)) {
      const ignored = isByPlugin(on) ? PLUGIN_ANNOTATIONS : undefined;
      for (const name of Object.keys(annotations).sort()) {
        if (WRITTEN_BY_MESH.has(name) || ignored?.test(name)) continue;
        if (ANNOTATIONS.get(name)?.alpha !== true) continue;
        yield { on, code: "MSH0136", args: [name], path };
      }
    }
  },
};

interface Annotated {
  readonly on: PlainDocument;
  /** The kind of the object that has the annotations; `Pod` for templates. */
  readonly kind: string;
  readonly path: string;
  readonly annotations: Labels;
  /** Labels beside the annotations. */
  readonly labels: Labels;
}

function* annotated(set: DocumentSet): Iterable<Annotated> {
  for (const on of set.all) {
    if (!KINDS.includes(on.kind) || !["", "apps"].includes(on.group)) continue;
    const { kind, annotations, labels, value } = on;
    yield { on, kind, path: "metadata.annotations", annotations, labels };
    if (kind !== "Deployment") continue;
    const path = "spec.template.metadata.annotations";
    const [ofPods, labelsOfPods] = ["annotations", "labels"]
      .map((part) => textsOf(mapAt(value, "spec", "template", "metadata", part)));
    yield { on, kind: "Pod", path, annotations: ofPods!, labels: labelsOfPods! };
  }
}

function* useFindings(
  { on, kind, path, annotations, labels }: Annotated,
  name: string,
): Iterable<DocumentFinding> {
  if (!isOurs(name) || WRITTEN_BY_MESH.has(name)) return;
  const known = ANNOTATIONS.get(name);
  if (known === undefined) return yield { on, code: "MSH0108", args: [name], path };
  // A label of the same name is what replaces the annotation.
  if (known.deprecated !== undefined && labels[name] === undefined) {
    yield { on, code: "MSH0135", args: [name, known.deprecated], path };
  }
  if (known.kinds.length > 0 && !known.kinds.includes(kind)) {
    return yield { on, code: "MSH0107", args: [name, known.kinds.join(", ")], path };
  }
  const fault = known.fault?.(annotations[name] ?? "");
  if (fault !== undefined) yield { on, code: "MSH0125", args: [name, fault], path };
}

function isOurs(name: string): boolean {
  const [domain = ""] = name.split("/");
  return name === "kubernetes.io/ingress.class" || domain === "mesh.io" ||
    domain.endsWith(".mesh.io");
}

/** Annotations that injection writes for the network plugin. */
const PLUGIN_ANNOTATIONS = new RegExp(
  "^(sidecar\\.mesh\\.io/interceptionMode|traffic\\.sidecar\\.mesh\\.io/" +
    "(includeInboundPorts|excludeInboundPorts|includeOutboundIPRanges))$",
);

/** True for pods without the container that sets up capture: the network plugin does it. */
function isByPlugin({ kind, value }: PlainDocument): boolean {
  return kind === "Pod" && !listAt(value, "spec", "initContainers")
    .some((container) => textAt(container, "name") === "mesh-init");
}
