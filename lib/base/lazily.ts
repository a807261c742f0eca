/** A value that is made when it is first asked for, and then kept: what costs something is not paid for while modules load. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
