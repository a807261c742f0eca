/**
 * Structural equality: the default early cut-off.
 *
 * @module
 */

/**
 * Reports if two values are the same data: primitives by `Object.is`, arrays, maps, sets of
 * primitives, byte arrays and plain objects by content. Instances of other classes are equal only
 * when identical, since their state may be out of sight. Values must not contain themselves. /
 */
export function structuralEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const shape: unknown = Object.getPrototypeOf(a);
  if (shape !== Object.getPrototypeOf(b)) return false;
  if (Array.isArray(a)) return sameElements(a, b as readonly unknown[]);
  if (a instanceof Uint8Array) return sameBytes(a, b as Uint8Array);
  if (a instanceof Map) return sameEntries(a, b as ReadonlyMap<unknown, unknown>);
  if (a instanceof Set) return sameMembers(a, b as ReadonlySet<unknown>);
  if (!isPlain(shape)) return false;
  return sameFields(a as Record<string, unknown>, b as Record<string, unknown>);
}

/** Reports if two byte arrays hold the same bytes. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function sameElements(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!structuralEqual(a[i], b[i])) return false;
  return true;
}

function sameEntries(a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) {
    if (!b.has(key) || !structuralEqual(value, b.get(key))) return false;
  }
  return true;
}

function sameMembers(a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): boolean {
  if (a.size !== b.size) return false;
  for (const member of a) if (!b.has(member)) return false;
  return true;
}

function sameFields(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(b, key) || !structuralEqual(a[key], b[key])) return false;
  }
  return true;
}

/** Object literals, `Object.create(null)`, and messages whose prototype carries only defaults. */
function isPlain(shape: unknown): boolean {
  return shape === null || shape === Object.prototype ||
    (typeof shape === "object" && !Object.hasOwn(shape as object, "constructor"));
}
