/**
 * Namespaces that AuthorizationPolicies name.
 *
 * @module
 */
import type { DocumentAnalyzer } from "../document_set.ts";
import { listAt } from "../plain.ts";

/** A policy for requests from a namespace that does not exist. */
export const POLICY_NAMESPACES: DocumentAnalyzer = {
  name: "auth.AuthorizationPoliciesAnalyzer",
  kinds: ["Namespace", "AuthorizationPolicy"],
  codes: ["MSH0101"],
  *analyze(set) {
    const known = new Set(set.of("Namespace", "").map(({ name }) => name));
    for (const on of set.of("AuthorizationPolicy")) {
      for (const { path, namespace } of namespacesOf(on.value)) {
        if (namespace.includes("*") || known.has(namespace)) continue;
        yield { on, code: "MSH0101", args: ["namespace", namespace], path };
      }
    }
  },
};

function* namespacesOf(
  value: unknown,
): Iterable<{ readonly path: string; readonly namespace: string }> {
  for (const [rule, one] of listAt(value, "spec", "rules").entries()) {
    for (const [from, source] of listAt(one, "from").entries()) {
      for (const [at, namespace] of listAt(source, "source", "namespaces").entries()) {
        const path = `spec.rules[${rule}].from[${from}].source.namespaces[${at}]`;
        if (typeof namespace === "string") yield { path, namespace };
      }
    }
  }
}
