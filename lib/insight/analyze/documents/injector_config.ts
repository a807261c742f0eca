/**
 * The configuration of the injector, in a ConfigMap of the mesh's namespace.
 *
 * @module
 */
import type { DocumentSet } from "../document_set.ts";
import { isPlainMap, type PlainMap, textAt } from "../plain.ts";

/** The values of the injector of a revision; `undefined` when the set has none. */
export function injectorValues(set: DocumentSet, revision: string): PlainMap | undefined {
  const name = revision === "" || revision === "default"
    ? "mesh-sidecar-injector"
    : `mesh-sidecar-injector-${revision}`;
  const found = set.of("ConfigMap", "").find((one) =>
    one.name === name && one.namespace === set.settings.meshNamespace
  );
  if (found === undefined) return undefined;
  try {
    const values: unknown = JSON.parse(textAt(found.value, "data", "values"));
    return isPlainMap(values) ? values : undefined;
  } catch {
    return undefined;
  }
}
