/**
 * Namespaces that may attach to a listener or a Gateway.
 *
 * @module
 */
import { hasLabels, meetsRequirement } from "../../model/mod.ts";
import type { NamespaceLookup } from "./lookups.ts";
import type { AllowedNamespaces, LabelSelector } from "./objects.ts";

/** Namespaces of an object that attaches, and of that which it attaches to. */
export interface Attaching {
  readonly namespace: string;
  readonly own: string;
}

/**
 * Reports if objects of `namespace` may attach to an object in `own`.
 *
 * @param fallback `from` where it is not given
 */
export function allowsNamespace(
  allowed: AllowedNamespaces | undefined,
  fallback: "Same" | "None",
  { namespace, own }: Attaching,
  look: NamespaceLookup,
): boolean {
  switch (allowed?.from || fallback) {
    case "All":
      return true;
    case "Same":
      return namespace === own;
    case "Selector": {
      const labels = look.namespaceLabels(namespace);
      return labels !== undefined && selects(allowed?.selector, labels);
    }
    default:
      return false;
  }
}

/** Reports if labels meet a selector. Without a selector none do. */
export function selects(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (selector === undefined) return false;
  return hasLabels(labels, selector.matchLabels ?? {}) &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) =>
      meetsRequirement(labels, { key, operator, values })
    );
}
