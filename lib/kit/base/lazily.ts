/**
 * A value that is computed on first use and then stored, so that loading a module costs nothing.
 */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
