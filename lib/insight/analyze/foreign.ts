/**
 * Facts that manifests of the orchestrator tell about the mesh: workloads and services.
 *
 * @module
 */
import { DEFAULT_NAMESPACE } from "../../mesh/schema/mod.ts";
import { documentSet } from "./document_set.ts";
import { isCaptured, isInMesh } from "./documents/mesh_objects.ts";
import type { AssumedService, KnownWorkload } from "./indexes.ts";
import { listAt, type PlainDocument, plainDocument, type PlainMap, textAt } from "./plain.ts";

/** Facts about objects of the orchestrator. */
export interface ForeignFacts {
  readonly workloads: readonly KnownWorkload[];
  readonly hosts: readonly AssumedService[];
}

/** Kinds that are collected: workloads, and what says if they are in the mesh. */
const COLLECTED: ReadonlySet<string> = new Set([
  "DaemonSet",
  "Deployment",
  "Job",
  "Namespace",
  "Pod",
  "ReplicaSet",
  "Service",
  "StatefulSet",
]);

/** Annotation of Services with the namespaces that see them. */
const EXPORT_TO = "networking.mesh.io/exportTo";

/** Collects workloads and services from documents. */
export function foreignCollector(domain: string, namespace: string = DEFAULT_NAMESPACE): {
  readonly add: (value: PlainMap) => void;
  readonly facts: () => ForeignFacts;
} {
  const documents: PlainDocument[] = [];
  return {
    add(value) {
      const document = plainDocument({ value, file: "", line: 1 }, namespace);
      if (document !== undefined && COLLECTED.has(document.kind)) documents.push(document);
    },
    facts: () => factsOf(documents, domain),
  };
}

function factsOf(documents: readonly PlainDocument[], domain: string): ForeignFacts {
  const set = documentSet(documents, { meshNamespace: "", domain, imageType: "" });
  return {
    workloads: set.pods().map((pod): KnownWorkload => ({
      namespace: pod.namespace,
      labels: pod.labels,
      ...(isInMesh(set, pod) || isCaptured(pod) ? {} : { outside: true }),
    })),
    hosts: set.of("Service", "").map(({ namespace, name, annotations, value }) => ({
      host: `${name}.${namespace}.svc.${domain}`,
      namespace,
      ports: listAt(value, "spec", "ports").map((port) => Number(textAt(port, "port"))),
      exportTo: (annotations[EXPORT_TO] ?? "").split(",").map((one) => one.trim())
        .filter((one) => one !== ""),
    })),
  };
}
