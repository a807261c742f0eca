/**
 * Parts of a response that are sent at once. Clients that are sent the same list are sent the same
 * parts: a list is divided once.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";

/** The parts of a list, and the limit that they were made for. */
interface Divided {
  readonly limit: number;
  readonly parts: readonly (readonly Resource[])[];
}

const divided = new WeakMap<readonly Resource[], Divided>();

/**
 * Divides resources into parts of at most `limit` bytes, by the sizes that `sizeOf` gives; a part has
 * one resource at least. Without resources there are no parts.
 */
export function slicesOf(
  resources: readonly Resource[],
  limit: number,
  sizeOf: (resource: Resource) => number,
): readonly (readonly Resource[])[] {
  if (limit === Infinity) return resources.length === 0 ? [] : [resources];
  const known = divided.get(resources);
  if (known?.limit === limit) return known.parts;
  const parts = divide(resources, limit, sizeOf);
  divided.set(resources, { limit, parts });
  return parts;
}

function divide(
  resources: readonly Resource[],
  limit: number,
  sizeOf: (resource: Resource) => number,
): readonly (readonly Resource[])[] {
  const parts: (readonly Resource[])[] = [];
  let from = 0;
  let size = 0;
  for (const [i, resource] of resources.entries()) {
    const own = sizeOf(resource);
    size += own;
    if (size <= limit || i === from) continue;
    parts.push(resources.slice(from, i));
    from = i;
    size = own;
  }
  if (from === 0) return resources.length === 0 ? [] : [resources];
  parts.push(resources.slice(from));
  return parts;
}
