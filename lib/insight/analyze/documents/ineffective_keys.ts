/**
 * Labels and annotations of the field that have no effect in this mesh.
 *
 * @module
 */
import type { DocumentAnalyzer, DocumentFinding, DocumentSet } from "../document_set.ts";
import type { Labels } from "../workload_indexes.ts";
import { mapAt, type PlainDocument, textsOf } from "../plain.ts";

/** A label or an annotation without effect. */
export interface IneffectiveKey {
  /** Kinds of objects on which it would have one. */
  readonly kinds: readonly string[];
  /** The reason, the end of a sentence. */
  readonly reason: string;
  /** The only value that would have an effect; unset: any. */
  readonly value?: string;
}

const POD = ["Pod"];

/** The keys by the part of the metadata that has them. */
export const INEFFECTIVE_KEYS: Readonly<
  Record<"labels" | "annotations", Readonly<Record<string, IneffectiveKey>>>
> = {
  labels: {},
  annotations: {
    "readiness.status.sidecar.mesh.io/applicationPorts": {
      kinds: POD,
      reason: "the readiness of the proxy does not depend on ports of the application",
    },
    "sidecar.mesh.io/controlPlaneAuthPolicy": {
      kinds: POD,
      reason: "set controlPlaneAuthPolicy in proxy.mesh.io/config",
    },
    "sidecar.mesh.io/enableCoreDump": {
      kinds: POD,
      reason: "the proxy's file system is read-only",
    },
  },
};

/** Labels and annotations without effect. */
export const INEFFECTIVE_METADATA: DocumentAnalyzer = {
  name: "metadata.IneffectiveAnalyzer",
  kinds: ["Service", "Namespace", "Pod", "Deployment"],
  codes: ["MSH0133"],
  *analyze(set) {
    for (const one of withMetadata(set)) yield* findingsOf(one);
  },
};

/** The metadata of an object, or of the pods of a workload. */
interface Described {
  readonly on: PlainDocument;
  readonly kind: string;
  readonly path: string;
  readonly labels: Labels;
  readonly annotations: Labels;
}

function* withMetadata(set: DocumentSet): Iterable<Described> {
  for (const on of set.all) {
    const { kind, labels, annotations, value } = on;
    yield { on, kind, path: "metadata", labels, annotations };
    if (kind !== "Deployment") continue;
    const template = ["spec", "template", "metadata"] as const;
    yield {
      on,
      kind: "Pod",
      path: template.join("."),
      labels: textsOf(mapAt(value, ...template, "labels")),
      annotations: textsOf(mapAt(value, ...template, "annotations")),
    };
  }
}

function* findingsOf({ on, kind, path, ...metadata }: Described): Iterable<DocumentFinding> {
  for (const part of ["labels", "annotations"] as const) {
    for (const key of Object.keys(metadata[part]).sort()) {
      const known = INEFFECTIVE_KEYS[part][key];
      if (known === undefined || !known.kinds.includes(kind)) continue;
      const value = metadata[part][key];
      if (known.value !== undefined && known.value !== value) continue;
      const what = part === "labels" ? "label" : "annotation";
      const args = [`The ${what} ${key} has no effect: ${known.reason}`];
      yield { on, code: "MSH0133", args, path: `${path}.${part}` };
    }
  }
}
