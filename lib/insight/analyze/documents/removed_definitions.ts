/**
 * Definitions of kinds that no longer exist.
 *
 * @module
 */
import type { DocumentAnalyzer } from "../document_set.ts";
import { textAt } from "../plain.ts";

const GROUP = "rbac.mesh.io";
/** Their objects were read by versions before. */
const KINDS: ReadonlySet<string> = new Set([
  "ClusterRbacConfig",
  "RbacConfig",
  "ServiceRole",
  "ServiceRoleBinding",
]);

/** A CustomResourceDefinition of a kind that AuthorizationPolicies replace. */
export const REMOVED_DEFINITIONS: DocumentAnalyzer = {
  name: "deprecation.DeprecationAnalyzer",
  kinds: ["CustomResourceDefinition"],
  codes: ["MSH0002"],
  *analyze(set) {
    for (const on of set.of("CustomResourceDefinition")) {
      const kind = textAt(on.value, "spec", "names", "kind");
      if (textAt(on.value, "spec", "group") !== GROUP || !KINDS.has(kind)) continue;
      const args = [`${kind} is replaced by AuthorizationPolicy, and its objects are not read`];
      yield { on, code: "MSH0002", args, path: "spec.names.kind" };
    }
  },
};
