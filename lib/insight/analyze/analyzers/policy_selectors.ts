/**
 * Selectors of policies: some workload has the labels.
 *
 * @module
 */
import type { ConfigObject } from "../../../mesh/model/mod.ts";
import type { TableKind } from "../../../mesh/schema/mod.ts";
import type { Analyzer, Context } from "../analyzer.ts";
import type { Finding } from "../message.ts";
import { type Labels, labelText, selectsNoProxy, selectsNothing } from "../workload_indexes.ts";

/** The fields by which policies select workloads. */
interface Selecting {
  readonly selector?: { readonly matchLabels: Labels };
  readonly workloadSelector?: { readonly labels?: Labels; readonly matchLabels?: Labels };
}

/** An AuthorizationPolicy that selects no workload. */
export const ACCESS_SELECTOR: Analyzer<"AuthorizationPolicy"> = {
  name: "auth.AuthorizationPoliciesAnalyzer",
  kinds: ["AuthorizationPolicy"],
  codes: ["MSH0127"],
  *analyze(context, { meta, spec }) {
    if (spec.targetRef !== undefined || spec.targetRefs.length > 0) return;
    const namespace = namespaceOfPolicy(context, meta);
    const labels = spec.selector?.matchLabels ?? {};
    // A policy without selector in the root namespace is for every workload there will be.
    const isForAll = spec.selector === undefined && namespace === "";
    if (isForAll || !selectsNoProxy(context, namespace, labels)) return;
    const path = spec.selector === undefined ? "" : "spec.selector";
    yield { code: "MSH0127", args: [labelText(labels)], path };
  },
};

/** A policy of another kind that selects no workload. */
export const POLICY_SELECTOR: Analyzer<
  | "RequestAuthentication"
  | "PeerAuthentication"
  | "DataproxyFilter"
  | "WasmPlugin"
  | "ProxyConfig"
  | "DestinationRule"
> = {
  name: "policy.SelectorAnalyzer",
  kinds: [
    "RequestAuthentication",
    "PeerAuthentication",
    "DataproxyFilter",
    "WasmPlugin",
    "ProxyConfig",
    "DestinationRule",
  ],
  codes: ["MSH0127"],
  analyze: selectorFindings,
};

function* selectorFindings(
  context: Context,
  { meta, spec }: ConfigObject<object>,
): Iterable<Finding> {
  const { selector, workloadSelector } = spec as Selecting;
  const labels = selector?.matchLabels ?? workloadSelector?.labels ??
    workloadSelector?.matchLabels ?? {};
  if (!selectsNothing(context, namespaceOfPolicy(context, meta), labels)) return;
  const path = selector === undefined ? "spec.workloadSelector" : "spec.selector";
  yield { code: "MSH0127", args: [labelText(labels)], path };
}

/** Kinds whose selectors are for the workloads of their own namespace, in the root namespace too. */
const LOCAL_KINDS: readonly string[] = [
  "DestinationRule",
  "ProxyConfig",
  "Sidecar",
  "Telemetry",
] satisfies TableKind[];

/** The namespace of the workloads that a policy selects; empty: all, for the root namespace. */
export function namespaceOfPolicy(
  { read, mesh }: Context,
  { kind, namespace }: { readonly kind: string; readonly namespace: string },
): string {
  const isLocal = LOCAL_KINDS.includes(kind);
  return !isLocal && namespace === mesh.field(read, "rootNamespace") ? "" : namespace;
}
