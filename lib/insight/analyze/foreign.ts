/**
 * Facts that manifests of the orchestrator tell about the mesh: workloads and services.
 *
 * @module
 */
import { objectKey } from "../../mesh/model/mod.ts";
import { DEFAULT_NAMESPACE } from "../../mesh/schema/mod.ts";
import { documentSet } from "./document_set.ts";
import { isAmbient, isCaptured, isInMesh } from "./documents/mesh_objects.ts";
import type { AssumedService } from "./indexes.ts";
import type { KnownWorkload } from "./workload_indexes.ts";
import {
  listAt,
  mapAt,
  type PlainDocument,
  plainDocument,
  type PlainMap,
  textAt,
  textsOf,
} from "./plain.ts";

/** Facts about objects of the orchestrator. */
export interface ForeignFacts {
  readonly workloads: readonly KnownWorkload[];
  readonly hosts: readonly AssumedService[];
  /** Service accounts, `namespace/name`. */
  readonly accounts?: readonly string[];
  /** Namespaces that the node proxy serves. */
  readonly ambient?: readonly string[];
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
  "ServiceAccount",
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
      account: textAt(pod.spec, "serviceAccountName") || "default",
      ...pod.document.kind === "Pod" && { name: pod.document.name },
      ...isCaptured(pod) && { captured: true },
      ...!isInMesh(set, pod) && !isCaptured(pod) && { outside: true },
    })),
    hosts: set.of("Service", "").map(({ namespace, name, annotations, value }) => ({
      host: `${name}.${namespace}.svc.${domain}`,
      namespace,
      ports: listAt(value, "spec", "ports").map((port) => Number(textAt(port, "port"))),
      targets: listAt(value, "spec", "ports").map(targetOf),
      selector: textsOf(mapAt(value, "spec", "selector")),
      exportTo: (annotations[EXPORT_TO] ?? "").split(",").map((one) => one.trim())
        .filter((one) => one !== ""),
    })),
    accounts: set.of("ServiceAccount", "").map(objectKey),
    ambient: set.of("Namespace", "").map(({ name }) => name).filter((name) => isAmbient(set, name)),
  };
}

/** The number of a port at workloads; `undefined` for a name. */
function targetOf(port: unknown): number | undefined {
  const target = textAt(port, "targetPort") || textAt(port, "port");
  return /^\d+$/.test(target) ? Number(target) : undefined;
}
