/**
 * Visibility of objects: `exportTo` and its defaults.
 *
 * @module
 */
import type { ConfigObject, Visibility } from "../../model/mod.ts";

/**
 * Parses an `exportTo` list.
 *
 * @param exportTo `*` all namespaces, `.` the object's namespace, `~` none, otherwise a namespace
 * @param namespace of the object
 * @param fallback meaning of an empty list (mesh configuration); empty: all namespaces
 */
export function visibilityOf(
  exportTo: readonly string[],
  namespace: string,
  fallback: readonly string[] = [],
): Visibility {
  const list = exportTo.length > 0 ? exportTo : fallback;
  if (list.length === 0 || list.includes("*")) return "public";
  const namespaces = new Set<string>();
  for (const entry of list) {
    if (entry === "~") continue;
    namespaces.add(entry === "." ? namespace : entry);
  }
  return [...namespaces].sort();
}

/**
 * Reports if a namespace may see an object; `""` means a reader that sees only what all namespaces
 * see.
 */
export function visibleTo(visibility: Visibility, namespace: string): boolean {
  return visibility === "public" || (namespace !== "" && visibility.includes(namespace));
}

/** Index buckets of the readers that see an object: `""` (everybody) and its own namespace, or the namespaces that it is exported to. */
export function seenBy(
  row: ConfigObject<{ readonly exportTo: readonly string[] }>,
): readonly string[] {
  const { meta } = row;
  const visibility = ownVisibility(row);
  return visibility === "public" ? ["", meta.namespace] : visibility;
}

/** The visibility of a row; those for clients of their namespace alone are seen by nobody else. */
export function ownVisibility(
  { meta, spec, consumer }: ConfigObject<{ readonly exportTo: readonly string[] }>,
): Visibility {
  return consumer ? [meta.namespace] : visibilityOf(spec.exportTo, meta.namespace);
}
