/**
 * Who may see an object: `exportTo` and its defaults.
 *
 * @module
 */
import type { Visibility } from "../model/mod.ts";

/**
 * Reads an `exportTo` list.
 *
 * @param exportTo `*` everybody, `.` the object's namespace, `~` nobody, else a namespace
 * @param namespace of the object
 * @param fallback what an empty list means (mesh configuration); empty: everybody
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

/** Whether a namespace may see an object; `""` stands for what everybody sees. */
export function visibleTo(visibility: Visibility, namespace: string): boolean {
  return visibility === "public" || (namespace !== "" && visibility.includes(namespace));
}
