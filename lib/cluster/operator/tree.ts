/**
 * Plain values as trees: maps, lists and scalars, with paths of keys and indexes.
 *
 * @module
 */
import type { Path } from "../../kit/text/mod.ts";

/** A map of plain values. */
export type Tree = Record<string, unknown>;

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The own member of a map or a list; `undefined` for other values. */
export function memberOf(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return typeof step === "number" ? value[step] : undefined;
  return isTree(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/** The value at a path; `undefined` where there is none. */
export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(memberOf, root);
}

/** The map at a path; an empty one where there is none. */
export function treeAt(root: unknown, path: Path): Tree {
  const value = valueAt(root, path);
  return isTree(value) ? value : {};
}

/** A copy of a tree with another value at a path of keys; `undefined` removes it. */
export function withValue(root: Tree, path: readonly string[], value: unknown): Tree {
  const [first, ...rest] = path;
  if (first === undefined) return isTree(value) ? value : {};
  const { [first]: before, ...others } = root;
  if (rest.length > 0) {
    return { ...root, [first]: withValue(isTree(before) ? before : {}, rest, value) };
  }
  return value === undefined ? others : { ...root, [first]: value };
}

/** Reports if a value has no content, as charts write the absence of a setting. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isTree(value) && Object.keys(value).length === 0;
}

/** The type of a value in words. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  if (typeof value === "string") return `the text ${JSON.stringify(value)}`;
  return typeof value === "boolean" ? `${value}` : `the number ${value}`;
}
