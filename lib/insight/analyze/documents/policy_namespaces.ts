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
    const names = set.of("Namespace", "").map(({ name }) => name.toLowerCase());
    for (const on of set.of("AuthorizationPolicy")) {
      for (const { path, namespace } of namespacesOf(on.value)) {
        if (namespace === "*" || names.some((name) => matches(namespace.toLowerCase(), name))) {
          continue;
        }
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
      for (const field of ["namespaces", "notNamespaces"]) {
        for (const [at, namespace] of listAt(source, "source", field).entries()) {
          const path = `spec.rules[${rule}].from[${from}].source.${field}[${at}]`;
          if (typeof namespace === "string") yield { path, namespace };
        }
      }
    }
  }
}

/** True if a value with at most one `*`, at its beginning or end, stands for a namespace. */
function matches(written: string, name: string): boolean {
  if (written.startsWith("*")) return name.endsWith(written.slice(1));
  return written.endsWith("*") ? name.startsWith(written.slice(0, -1)) : name === written;
}
