/**
 * Kinds that are not supported.
 *
 * @module
 */
import type { KindName } from "./kind.ts";

function unsupported(
  group: string,
  versions: readonly string[],
  names: Readonly<Record<string, string>>,
  scope: KindName["scope"] = "namespaced",
): KindName[] {
  return Object.entries(names).map(([kind, plural]) => ({ kind, group, versions, plural, scope }));
}

/**
 * Known kinds that Mesh does not support. Objects of Mesh's own groups are rejected by name; those of
 * the orchestrator's groups are ignored with a warning, because manifests contain them beside others.
 */
export const UNSUPPORTED_KINDS: readonly KindName[] = [
  ...unsupported("extensions.mesh.io", ["v1alpha1"], { TrafficExtension: "trafficextensions" }),
  ...unsupported("networking.k8s.io", ["v1"], { Ingress: "ingresses" }),
  ...unsupported("networking.k8s.io", ["v1"], { IngressClass: "ingressclasses" }, "cluster"),
  ...unsupported("inference.networking.k8s.io", ["v1"], { InferencePool: "inferencepools" }),
];
