/**
 * Differences of two JSON values as a JSON Patch (RFC 6902).
 *
 * @module
 */

export interface PatchOperation {
  readonly op: "add" | "remove" | "replace";
  readonly path: string;
  readonly value?: unknown;
}

/** The operations that make `after` of `before`. A list that changed is replaced as a whole. */
export function jsonPatch(before: unknown, after: unknown, path: string = ""): PatchOperation[] {
  if (before === after) return [];
  if (!isObject(before) || !isObject(after)) {
    return areEqual(before, after) ? [] : [{ op: "replace", path, value: after }];
  }
  const operations: PatchOperation[] = [];
  for (const name of Object.keys(before)) {
    const at = `${path}/${escaped(name)}`;
    if (after[name] === undefined) operations.push({ op: "remove", path: at });
    else operations.push(...jsonPatch(before[name], after[name], at));
  }
  for (const [name, value] of Object.entries(after)) {
    if (Object.hasOwn(before, name) || value === undefined) continue;
    operations.push({ op: "add", path: `${path}/${escaped(name)}`, value });
  }
  return operations;
}

/** Compares JSON values; the order of keys counts for nothing. */
function areEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((one, i) => areEqual(one, b[i]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => areEqual(a[name], b[name]));
}

/** A segment of a JSON Pointer (RFC 6901). */
function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
