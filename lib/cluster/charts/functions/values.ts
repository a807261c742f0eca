import { isMap, kindOf, Methods, ValueFault } from "../../../kit/template/mod.ts";

/** A map of a template, which functions such as `set` change. */
export type Fields = Record<string, unknown>;

export function isNothing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Equality of JSON values. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (isNothing(a) || isNothing(b)) return isNothing(a) && isNothing(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((one, at) => isEqual(one, b[at]));
  }
  if (!isMap(a) || !isMap(b)) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]));
}

/** The map in a value; nothing is an empty one. */
export function mapOf(value: unknown): Fields {
  if (isNothing(value)) return {};
  if (value instanceof Methods) return value.entries as Fields;
  if (isMap(value)) return value as Fields;
  throw new ValueFault(`a map is needed here, not ${kindOf(value)}`);
}

/** The list in a value; nothing is an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  if (isNothing(value)) return [];
  if (Array.isArray(value)) return value;
  throw new ValueFault(`a list is needed here, not ${kindOf(value)}`);
}
