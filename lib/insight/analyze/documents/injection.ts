/**
 * Injection of the proxy: labels of namespaces, and pods without a proxy.
 *
 * @module
 */
import { objectKey } from "../../../mesh/model/mod.ts";
import {
  containersOf,
  type DocumentAnalyzer,
  type DocumentSet,
  isSystemNamespace,
  type PodShape,
} from "../document_set.ts";
import type { Labels } from "../workload_indexes.ts";
import { type PlainDocument, textAt, valueAt } from "../plain.ts";
import { injectorValues } from "./injector_config.ts";
import { PROXY_CONTAINER } from "./mesh_objects.ts";

/** Namespaces with unclear labels, and pods that should have a proxy. */
export const INJECTION: DocumentAnalyzer = {
  name: "injection.Analyzer",
  kinds: ["Namespace", "Pod", "ConfigMap"],
  codes: ["MSH0102", "MSH0103", "MSH0123", "MSH0148"],
  *analyze(set) {
    const byDefault = isDefault(set);
    const injected = new Set<string>();
    for (const namespace of set.of("Namespace", "")) {
      const { name, labels } = namespace;
      if (name === set.settings.meshNamespace) continue;
      const asked = askedBy(labels);
      if (asked.length > 1) {
        const args = [asked.map((label) => `${label}=${labels[label]}`).join(", ")];
        yield { on: namespace, code: "MSH0123", args, path: "metadata.labels" };
      }
      const state = injectionOf(labels);
      if (isSystemNamespace(name)) continue;
      if (state === "unlabelled") {
        yield byDefault
          ? { on: namespace, code: "MSH0148", args: [], path: "metadata.labels" }
          : { on: namespace, code: "MSH0102", args: [name, name], path: "metadata.labels" };
        if (byDefault) injected.add(name);
      } else if (state === "injected") injected.add(name);
    }
    for (const pod of set.pods()) {
      const { kind, namespace, name } = pod.document;
      if (kind !== "Pod" || !injected.has(namespace) || isExempt(pod)) continue;
      if (containersOf(pod).some((one) => textAt(one, "name") === PROXY_CONTAINER)) continue;
      yield {
        on: pod.document,
        code: "MSH0103",
        args: [objectKey({ namespace, name })],
        path: "spec",
      };
    }
  },
};

const LABELS = ["mesh-injection", "mesh.io/rev", "mesh.io/dataplane-mode"] as const;

/** Labels of a namespace that ask for different things; a namespace that opts out asks once. */
function askedBy(labels: Labels): string[] {
  const [injection] = LABELS;
  const opened = labels[injection] === undefined || labels[injection] === "enabled";
  return LABELS.filter((label) => labels[label] !== undefined && (opened || label === injection));
}

/** The injection that the labels of a namespace ask for. `enabled` outweighs the node proxy. */
export function injectionOf(
  labels: Labels,
): "ambient" | "disabled" | "injected" | "unlabelled" {
  const [injection, revision, mode] = LABELS.map((label) => labels[label]);
  if (injection === "enabled") return "injected";
  if (injection !== undefined) return "disabled";
  if (mode === "ambient") return "ambient";
  return revision === undefined ? "unlabelled" : "injected";
}

/** The namespaces with injection, each with its revision; empty for the default one. */
export function injectedNamespaces(set: DocumentSet): ReadonlyMap<string, PlainDocument> {
  return new Map(
    set.of("Namespace", "").filter(({ labels }) => injectionOf(labels) === "injected")
      .map((namespace) => [namespace.name, namespace]),
  );
}

/** True for pods that opt out or share the network of the node. The label decides before the annotation. */
export function isExempt(
  { labels, annotations, spec }: Pick<PodShape, "labels" | "annotations" | "spec">,
): boolean {
  const asked = labels["sidecar.mesh.io/inject"] ?? annotations["sidecar.mesh.io/inject"];
  return asked === "false" || valueAt(spec, "hostNetwork") === true;
}

function isDefault(set: DocumentSet): boolean {
  return valueAt(
    injectorValues(set, ""),
    "sidecarInjectorWebhook",
    "enableNamespacesByDefault",
  ) === true;
}
